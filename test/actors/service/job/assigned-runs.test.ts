import { test } from 'tap';
import { AssignedRuns, isWaiting } from '../../../../actors/service/job/assigned-runs.ts';
import { stepStateOf, taskOf, type StepState } from '../../../../actors/service/job/step-state.ts';
import { jobId } from '../../../../src/core/ids.ts';
import { countsOf } from '../../../../src/core/lifecycle/task-counts.ts';
import type { TaskStatus } from '../../../../src/core/lifecycle/task-transitions.ts';
import { emptyTaskPage, pageOf, writeTask } from '../../../../src/core/records/task-page.ts';
import { jobPlan } from '../../../kit/plans.ts';

const TASKS = 640;

function newStep(): StepState {
  const [plan] = jobPlan('j', [{ name: 's', tasks: TASKS }]).steps;
  if (plan === undefined) throw new Error('the plan has no step');
  return stepStateOf(
    {
      version: 1,
      jobId: jobId('0190b2d8-3c4f-7000-8000-000000000001'),
      order: 0,
      name: 's',
      status: 'running',
      computeLocation: '',
      dependsOn: [],
      taskCount: TASKS,
      taskCounts: countsOf(TASKS, 'ready'),
      untouched: { status: 'ready', updatedAt: 0, failureReason: '' },
      createdAt: 0,
      updatedAt: 0,
    },
    plan,
  );
}

/** Sets a task to the state after a lease or a report. */
function put(step: StepState, index: number, status: TaskStatus, assignedAt: number): void {
  const number = pageOf(index);
  const page = step.pages.get(number) ?? emptyTaskPage();
  step.pages.set(number, page);
  writeTask(page, index, { ...taskOf(step, index), status, assignedAt });
}

function lease(runs: AssignedRuns, step: StepState, index: number, at: number): void {
  put(step, index, 'assigned', at);
  runs.add(step, index, at, at + 30);
}

/** Index and deadline of each waiting task. */
const waiting = (runs: AssignedRuns): string[] =>
  runs.takeAll().flatMap((run) =>
    Array.from({ length: run.count }, (_, nth) => run.start + nth)
      .filter((index) => isWaiting(run, index))
      .map((index) => `${index} due ${run.dueAt}`),
  );

test('tasks assigned together form one run and wait until they are reported', (t) => {
  const runs = new AssignedRuns();
  const step = newStep();
  t.equal(runs.firstDueAt(), null);
  for (const index of [3, 4, 5]) lease(runs, step, index, 100);
  lease(runs, step, 9, 100);
  lease(runs, step, 10, 200);
  t.equal(runs.firstDueAt(), 130);
  put(step, 4, 'running', 100);
  put(step, 3, 'succeeded', 100);
  t.equal(runs.firstDueAt(), 130);
  t.strictSame(waiting(runs), ['5 due 130', '9 due 130', '10 due 230']);
  t.strictSame(waiting(runs), [], 'taken runs are removed');
  t.end();
});

test('a task that is assigned again waits only for its new attempt', (t) => {
  const runs = new AssignedRuns();
  const step = newStep();
  lease(runs, step, 0, 100);
  put(step, 0, 'ready', 0);
  t.equal(runs.firstDueAt(), null);
  lease(runs, step, 0, 150);
  t.equal(runs.firstDueAt(), 180);
  t.strictSame(waiting(runs), ['0 due 180']);
  t.end();
});

test('runs without waiting tasks are removed, whatever their number', (t) => {
  const runs = new AssignedRuns();
  const step = newStep();
  lease(runs, step, 1, 1);
  // Every second task, so that no two form a run.
  for (let index = 3; index < TASKS; index += 2) {
    lease(runs, step, index, 10);
    put(step, index, 'succeeded', 10);
  }
  const kept = runs.takeAll();
  t.ok(kept.length <= 64, `${kept.length} runs are kept of ${TASKS / 2}`);
  t.strictSame(
    kept.filter((run) => run.count > 0 && isWaiting(run, run.start)).map(({ start }) => start),
    [1],
    'the waiting one is among them',
  );
  t.end();
});

test('runs of different times that have one deadline stay apart', (t) => {
  const runs = new AssignedRuns();
  const step = newStep();
  put(step, 0, 'assigned', 100);
  put(step, 1, 'assigned', 200);
  runs.add(step, 0, 100, 500);
  runs.add(step, 1, 200, 500);
  t.strictSame(waiting(runs), ['0 due 500', '1 due 500']);
  t.end();
});

test('the run that is added while finished ones are removed is kept', (t) => {
  const runs = new AssignedRuns();
  const step = newStep();
  for (let nth = 0; nth < 64; nth++) {
    const index = 2 * nth;
    lease(runs, step, index, 10);
    if (nth < 63) put(step, index, 'succeeded', 10);
  }
  t.strictSame(waiting(runs), ['126 due 40']);
  t.end();
});
