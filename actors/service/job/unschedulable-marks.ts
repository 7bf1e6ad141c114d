import { leasableSince } from '../../../src/core/lifecycle/retry-policy.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';
import { taskOf, materializedTasks, type StepState } from './step-state.ts';
import { TASK_EVENTS_MAX } from './task-publisher.ts';

/** Operations of a turn of the job actor on the tasks of a step. */
interface TaskWriter {
  write(step: StepState, index: number, task: TaskState): void;
  touch(step: StepState): void;
  publishTask(step: StepState, index: number, task: TaskState): void;
  /** Whether further events are not published, because too many tasks have changed. */
  readonly hasLostEvents: boolean;
}

/**
 * Marks the tasks of a step as unschedulable that are ready since `readyBefore`: no online worker can run them. Returns
 * whether anything changed.
 */
export function markUnschedulable(
  turn: TaskWriter,
  step: StepState,
  reason: string,
  readyBefore: number,
): boolean {
  const { untouched, taskCounts, unschedulableReason } = step.record;
  // A task with a retry delay is ready for the lease actor only after the delay.
  const isOld = (task: Pick<TaskState, 'status' | 'updatedAt' | 'retryAfter'>): boolean =>
    task.status === 'ready' && leasableSince(task) <= readyBefore;
  const marked: number[] = [];
  let materializedReady = 0;
  for (const { index, task } of [...materializedTasks(step)]) {
    if (task.status === 'ready') materializedReady++;
    if (!isOld(task) || task.unschedulable) continue;
    turn.write(step, index, { ...task, unschedulable: true });
    marked.push(index);
  }
  const marksUntouched = isOld({ ...untouched, retryAfter: null }) && untouched.unschedulable !== true;
  const howMany = marked.length + (marksUntouched ? taskCounts.ready - materializedReady : 0);
  const isNewReason = reason !== unschedulableReason && taskCounts.unschedulable > 0;
  if (howMany === 0 && !isNewReason) return false;
  taskCounts.unschedulable += howMany;
  step.record.unschedulableReason = reason;
  if (marksUntouched) step.record.untouched = { ...untouched, unschedulable: true };
  turn.touch(step);
  const published = isNewReason || marksUntouched ? unschedulableTasks(step) : marked;
  publishTasks(turn, step, published);
  return true;
}

/** Clears the mark of all tasks of a step. Returns whether there was any. */
export function clearUnschedulable(turn: TaskWriter, step: StepState): boolean {
  const { taskCounts, untouched } = step.record;
  if (taskCounts.unschedulable === 0) return false;
  // One more than a turn publishes, so that it notices the loss.
  const wasMarked: number[] = [];
  for (const index of unschedulableTasks(step)) if (wasMarked.push(index) > TASK_EVENTS_MAX) break;
  for (const { index, task } of [...materializedTasks(step)]) {
    if (task.unschedulable) turn.write(step, index, { ...task, unschedulable: false });
  }
  taskCounts.unschedulable = 0;
  step.record.untouched = { ...untouched, unschedulable: false };
  turn.touch(step);
  publishTasks(turn, step, wasMarked);
  return true;
}

function publishTasks(turn: TaskWriter, step: StepState, indices: Iterable<number>): void {
  for (const index of indices) {
    if (turn.hasLostEvents) return;
    turn.publishTask(step, index, taskOf(step, index));
  }
}

function* unschedulableTasks(step: StepState): Generator<number> {
  const { taskCount, untouched } = step.record;
  const indices = untouched.unschedulable === true ? numbersTo(taskCount) : materializedIndices(step);
  for (const index of indices) {
    if (taskOf(step, index).unschedulable) yield index;
  }
}

function* numbersTo(count: number): Generator<number> {
  for (let index = 0; index < count; index++) yield index;
}

function* materializedIndices(step: StepState): Generator<number> {
  for (const { index } of materializedTasks(step)) yield index;
}
