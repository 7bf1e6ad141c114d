import { attemptIdOf, taskIdOf, type JobId, type TaskAddress } from '../../src/core/ids.ts';
import { effectiveRetry, type RetryPolicy } from '../../src/core/lifecycle/retry-policy.ts';
import { isLiveTask, isTerminalTask } from '../../src/core/lifecycle/task-transitions.ts';
import { openSpace, type Space } from '../../src/core/openjd/space/open-space.ts';
import type { JobPlan, StepPlan } from '../../src/core/openjd/plan.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { AttemptRecord } from '../../src/core/records/attempt.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { TaskCounts } from '../../src/core/lifecycle/task-counts.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { readAttempt } from '../../src/core/records/open-attempt.ts';
import { gatherPages, type PageRoom } from '../../src/core/records/page-room.ts';
import { keys, lastNumberOfKey } from '../../src/core/records/tables.ts';
import {
  pageOf,
  readTask,
  TASKS_PER_PAGE,
  untouchedTask,
  type TaskState,
} from '../../src/core/records/task-page.ts';
import type { StepAssignment } from '../../src/core/wire/bus-messages.ts';
import { loadStepFailures, type FailuresOfSteps } from './step-failures.ts';
import { failedOnKey, readFailedOn, type FailedOn } from './failed-on.ts';

/** A step with its packed tasks. Pages that were never written are absent. */
export interface StepState {
  record: StepRecord;
  readonly plan: StepPlan;
  readonly space: Space;
  readonly pages: Map<number, Uint8Array>;
  /** Where new pages come from; null until there is one. */
  room: PageRoom | null;
  /** What its tasks share when they are handed out; null before the first is. */
  assignment: StepAssignment | null;
  /** The counts of the step that are in the job's. */
  countsInJob: TaskCounts;
  /** Pages and whether the record are to be written with the commit window. */
  readonly dirtyPages: Set<number>;
  isDirty: boolean;
  /** The last turn that has changed it. */
  touchedBy: object | null;
}

/** An attempt that was handed out and not yet reported running. */
export interface AssignedAttempt {
  readonly stepOrder: number;
  readonly index: number;
  readonly dueAt: number;
}

export interface JobState {
  record: JobRecord;
  readonly plan: JobPlan;
  readonly steps: readonly StepState[];
  /** Retry settings of server, farm and queue; the job's own come on top. */
  inherited: RetryPolicy;
  /** Open attempts by task id. */
  readonly openAttempts: Map<string, AttemptRecord>;
  /** Failures that workers have reported. A manual retry does not forget them. */
  readonly failures: FailuresOfSteps;
  readonly failedOn: FailedOn;
  /** Attempts that were handed out and not yet reported running, by task id: the first is due first. */
  assigned: Map<string, AssignedAttempt>;
  /** Whether the timer for the first of them is set. */
  isAssignedTimed: boolean;
  /** Steps of which something is to be written with the commit window, beside the job's own record. */
  readonly dirtySteps: Set<StepState>;
  /** Whether the counts and the time of the record are those of an earlier commit window. */
  isRecordOld: boolean;
  /** Whether the job was deleted in this commit window: nothing is to be done for it any more. */
  isDeleted: boolean;
}

export const policyOf = (state: JobState): RetryPolicy => effectiveRetry(state.inherited, state.record.retry);

export const stepStateOf = (
  record: StepRecord,
  plan: StepPlan,
  pages: Map<number, Uint8Array> = new Map(),
): StepState => ({
  record,
  plan,
  space: openSpace(plan.space),
  pages,
  room: null,
  assignment: null,
  countsInJob: record.taskCounts,
  dirtyPages: new Set(),
  isDirty: false,
  touchedBy: null,
});

/** The state of a task, whether it has a record of its own or not. */
export function taskOf(step: StepState, index: number): TaskState {
  const page = step.pages.get(pageOf(index));
  const own = page === undefined ? null : readTask(page, index);
  return own ?? untouchedTask(step.record.untouched);
}

/** The tasks of a step that have a record of their own, in order. */
export function* touchedTasks(
  step: StepState,
): Generator<{ readonly index: number; readonly task: TaskState }> {
  for (const number of [...step.pages.keys()].sort((a, b) => a - b)) {
    const page = step.pages.get(number);
    if (page === undefined) continue;
    for (let slot = 0; slot < TASKS_PER_PAGE; slot++) {
      const index = number * TASKS_PER_PAGE + slot;
      const task = readTask(page, index);
      if (task !== null) yield { index, task };
    }
  }
}

/** Everything of a job that the store holds. `serverRetry` is the server's end of the retry cascade. */
export function loadJob(
  id: string,
  reader: StoreReader,
  serverRetry: RetryPolicy,
  staleAssignedMs: number,
): JobState | null {
  const record = reader.get('job', id);
  const plan = reader.get('plan', id);
  if (record === undefined || plan === undefined) return null;
  const steps = plan.steps.map((stepPlan) => loadStep(record.id, stepPlan, reader));
  const state: JobState = {
    record,
    plan,
    steps,
    inherited: effectiveRetry(
      serverRetry,
      reader.get('farm', record.farmId)?.retry ?? {},
      reader.get('queue', record.queueId)?.retry ?? {},
    ),
    openAttempts: new Map(),
    failures: new Map(
      steps.map(({ record: { order } }) => [order, loadStepFailures(record.id, order, reader)]),
    ),
    failedOn: new Map(),
    assigned: new Map(),
    isAssignedTimed: false,
    dirtySteps: new Set(),
    isRecordOld: false,
    isDeleted: false,
  };
  for (const step of steps) loadFailedOn(state, step, reader);
  for (const step of steps) loadOpenAttempts(state, step, reader, staleAssignedMs);
  state.assigned = new Map([...state.assigned].sort(([, a], [, b]) => a.dueAt - b.dueAt));
  return state;
}

function loadStep(job: JobId, plan: StepPlan, reader: StoreReader): StepState {
  const key = keys.step(job, plan.order);
  const record = reader.get('step', key);
  if (record === undefined) throw new Error(`the store has no step ${key} of a job that it holds`);
  const pages = gatherPages(numberedPages(job, plan.order, reader));
  return stepStateOf(record, plan, pages);
}

function* numberedPages(
  job: JobId,
  stepOrder: number,
  reader: StoreReader,
): Generator<readonly [number, Uint8Array]> {
  for (const row of reader.scan('taskPage', { prefix: keys.taskPagesOf(job, stepOrder) })) {
    yield [lastNumberOfKey(row.key), row.value];
  }
}

function loadFailedOn(state: JobState, step: StepState, reader: StoreReader): void {
  const stepOrder = step.record.order;
  for (const { index, task } of touchedTasks(step)) {
    if (task.failedAttempts === 0 || isTerminalTask(task.status)) continue;
    const workers = readFailedOn(reader, { jobId: state.record.id, stepOrder, index }, task);
    state.failedOn.set(failedOnKey(stepOrder, index), workers);
  }
}

function loadOpenAttempts(
  state: JobState,
  step: StepState,
  reader: StoreReader,
  staleAssignedMs: number,
): void {
  if (step.record.taskCounts.assigned + step.record.taskCounts.running === 0) return;
  for (const { index, task } of touchedTasks(step)) {
    if (!isLiveTask(task.status)) continue;
    const address: TaskAddress = { jobId: state.record.id, stepOrder: step.record.order, index };
    const attempt = readAttempt(reader, { farmId: state.record.farmId, address, task }, task.attemptNumber);
    if (attempt === undefined) {
      throw new Error(
        `the store has neither a row nor the worker of the attempt ${attemptIdOf({ ...address, attemptNumber: task.attemptNumber })}`,
      );
    }
    state.openAttempts.set(taskIdOf(address), attempt);
    if (task.status !== 'assigned') continue;
    const { stepOrder } = address;
    state.assigned.set(taskIdOf(address), { stepOrder, index, dueAt: task.assignedAt + staleAssignedMs });
  }
}
