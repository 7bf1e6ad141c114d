import type { TaskAddress } from '../../../src/core/ids.ts';
import { SKIPPED_MESSAGE } from '../../../src/core/lifecycle/failure-reasons.ts';
import { moveCounts } from '../../../src/core/lifecycle/task-counts.ts';
import { nextTaskStatus, type TaskTrigger } from '../../../src/core/lifecycle/task-transitions.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';
import type { SkipNote, TaskTextRecord } from '../../../src/core/records/task-text.ts';
import { materializedTasks, taskOf, type StepState } from './step-state.ts';

/** Fields of a task that these changes set, besides its status. */
type Patch = Partial<Pick<TaskState, 'assignedAt' | 'workerOrdinal' | 'hasText' | 'exiting'>>;

/** Operations of a turn of the job actor on the tasks of a step. */
interface TaskMover {
  addressOf(step: StepState, index: number): TaskAddress;
  move(step: StepState, index: number, trigger: TaskTrigger, patch?: Patch): TaskState | null;
  stopAttempt(
    step: StepState,
    index: number,
    closed: { readonly status: 'canceled'; readonly message: string },
  ): boolean;
  putText(address: string, text: TaskTextRecord): void;
  publishUntouched(step: StepState): void;
  touch(step: StepState): void;
  offer(step: StepState): void;
}

/**
 * Skips one task that has not succeeded (docs/scheduling.md#skipped-tasks). Ends its process, if it has one; the closed
 * attempt counts neither as a failure nor as a success.
 */
export function skipTask(turn: TaskMover, step: StepState, index: number, note: SkipNote): void {
  const { status } = taskOf(step, index);
  if (nextTaskStatus(status, 'skip') === null) return;
  const isStopped = turn.stopAttempt(step, index, { status: 'canceled', message: SKIPPED_MESSAGE });
  // The task did not succeed on the worker of its last attempt, and not in the time of that attempt.
  const patch = { assignedAt: null, workerOrdinal: null, hasText: true };
  turn.move(step, index, 'skip', isStopped ? { ...patch, exiting: true } : patch);
  step.record.hasSkipped = true;
  turn.putText(keys.taskText(turn.addressOf(step, index)), { version: 1, failureReason: '', skip: note });
  if (status === 'ready') turn.offer(step);
}

/** Skips all tasks of a step that have not succeeded. */
export function skipStep(turn: TaskMover, step: StepState, note: SkipNote, now: number): void {
  step.record.hasSkipped = true;
  for (const { index } of [...materializedTasks(step)]) skipTask(turn, step, index, note);
  moveUntouched(turn, step, 'skip', { status: 'succeeded', updatedAt: now, failureReason: '', skip: note });
}

/** Moves all skipped tasks of a step back to pending. `retryTask` moves one of them. */
export function retrySkipped(
  turn: TaskMover & { retryTask(step: StepState, index: number): void },
  step: StepState,
  now: number,
): void {
  for (const { index, task } of [...materializedTasks(step)]) if (task.skipped) turn.retryTask(step, index);
  moveUntouched(turn, step, 'undo skip', { status: 'pending', updatedAt: now, failureReason: '' });
}

/** Moves the ready tasks of a step back to pending, because a step that it depends on is no longer completed. */
export function holdBack(turn: TaskMover, step: StepState, now: number): void {
  for (const { index, task } of [...materializedTasks(step)])
    if (task.status === 'ready') turn.move(step, index, 'upstream reopened');
  moveUntouched(turn, step, 'upstream reopened', { status: 'pending', updatedAt: now, failureReason: '' });
  turn.offer(step);
}

/** Applies a transition to all tasks of a step without a record. Does nothing if the table does not allow it. */
function moveUntouched(
  turn: TaskMover,
  step: StepState,
  trigger: TaskTrigger,
  after: StepState['record']['untouched'],
): void {
  const { untouched, taskCounts, taskCount } = step.record;
  if (nextTaskStatus(untouched.status, trigger) !== after.status) return;
  let howMany = taskCount;
  for (const _ of materializedTasks(step)) howMany--;
  if (howMany === 0) return;
  moveCounts(taskCounts, untouched.status, after.status, howMany);
  if (untouched.unschedulable === true) taskCounts.unschedulable -= howMany;
  step.record.untouched = after;
  turn.publishUntouched(step);
  turn.touch(step);
  if (untouched.status === 'ready') turn.offer(step);
}

/** Returns the number of skipped tasks of a step. */
export function countSkipped(step: StepState): number {
  let own = 0;
  let skipped = 0;
  for (const { task } of materializedTasks(step)) {
    own++;
    if (task.skipped) skipped++;
  }
  return step.record.untouched.status === 'succeeded' ? skipped + step.record.taskCount - own : skipped;
}
