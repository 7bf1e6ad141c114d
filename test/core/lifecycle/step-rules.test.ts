import { test } from 'tap';
import { JOB_STATUSES } from '../../../src/core/lifecycle/job-transitions.ts';
import {
  completionTrigger,
  isTerminalStep,
  stepStatusOf,
  type StepStatus,
} from '../../../src/core/lifecycle/step-rules.ts';
import { NO_TASKS, type TaskCounts } from '../../../src/core/lifecycle/task-counts.ts';

const counts = (some: Partial<Omit<TaskCounts, 'total' | 'unschedulable'>>): TaskCounts => ({
  ...NO_TASKS,
  ...some,
  total: Object.values(some).reduce((sum, count) => sum + count, 0),
});

/** docs/contract/step-states.md: the step statuses and their meanings. */
const STATUSES: readonly (readonly [StepStatus, Partial<TaskCounts>, string])[] = [
  ['pending', { pending: 3 }, 'waiting on steps or on the job'],
  ['pending', { pending: 2, canceled: 1 }, 'a task that was canceled does not end the wait'],
  ['pending', { pending: 1, succeeded: 2 }, 'a task that is tried once more by hand waits on the job'],
  ['ready', { ready: 3 }, ''],
  ['ready', { ready: 1, pending: 2 }, ''],
  ['running', { ready: 2, assigned: 1 }, ''],
  ['running', { ready: 2, running: 1 }, ''],
  ['running', { running: 1, succeeded: 2 }, ''],
  ['running', { ready: 1, succeeded: 2 }, 'begun and not over'],
  ['running', { ready: 1, failed: 1 }, 'begun and not over'],
  ['running', { assigned: 1, pending: 1 }, ''],
  ['completed', { succeeded: 3 }, ''],
  ['completed', {}, 'a step without tasks'],
  ['failed', { succeeded: 2, failed: 1 }, ''],
  ['failed', { failed: 1, canceled: 1 }, 'failed wins over canceled'],
  ['canceled', { canceled: 3 }, ''],
  ['canceled', { succeeded: 2, canceled: 1 }, ''],
];

test('the status of a step is derived from its tasks', (t) => {
  for (const [status, some, why] of STATUSES) {
    t.equal(stepStatusOf(counts(some)), status, `${JSON.stringify(some)} ${why}`);
  }
  t.end();
});

test('returns the terminal step statuses', (t) => {
  const all: readonly StepStatus[] = ['pending', 'ready', 'running', 'completed', 'failed', 'canceled'];
  t.strictSame(all.filter(isTerminalStep), ['completed', 'failed', 'canceled']);
  t.end();
});

test('a job ends when all its steps are terminal', (t) => {
  t.equal(completionTrigger('running', ['completed', 'completed']), 'all steps completed');
  t.equal(completionTrigger('running', ['completed', 'failed']), 'a step failed');
  t.equal(
    completionTrigger('running', ['completed', 'canceled']),
    'a step failed',
    'a job that did not complete has failed',
  );
  t.equal(completionTrigger('running', ['failed', 'running']), null);
  t.equal(completionTrigger('running', ['completed', 'pending']), null);
  t.equal(completionTrigger('running', ['completed', 'ready']), null);
  for (const job of JOB_STATUSES) {
    const isOver = job === 'completed' || job === 'failed' || job === 'canceled';
    t.equal(completionTrigger(job, ['completed']), isOver ? null : 'all steps completed', job);
  }
  t.end();
});
