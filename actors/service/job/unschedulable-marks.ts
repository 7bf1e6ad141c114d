import { leasableSince } from '../../../src/core/lifecycle/retry-policy.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';
import { taskOf, materializedTasks, type StepState } from './step-state.ts';

/** Operations of a turn of the job actor on the tasks of a step. */
interface TaskWriter {
  write(step: StepState, index: number, task: TaskState): void;
  touch(step: StepState): void;
  publishTask(step: StepState, index: number, task: TaskState): void;
}

/** Maximum number of task events for one change of a step: the replay depth of a client (`events.replay_depth`). */
const TASK_EVENTS_AT_ONCE = 1_000;

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
  for (const index of published) turn.publishTask(step, index, taskOf(step, index));
  return true;
}

/** Clears the mark of all tasks of a step. Returns whether there was any. */
export function clearUnschedulable(turn: TaskWriter, step: StepState): boolean {
  const { taskCounts, untouched } = step.record;
  if (taskCounts.unschedulable === 0) return false;
  const wasMarked = [...unschedulableTasks(step)];
  for (const { index, task } of [...materializedTasks(step)]) {
    if (task.unschedulable) turn.write(step, index, { ...task, unschedulable: false });
  }
  taskCounts.unschedulable = 0;
  step.record.untouched = { ...untouched, unschedulable: false };
  turn.touch(step);
  for (const index of wasMarked) turn.publishTask(step, index, taskOf(step, index));
  return true;
}

/** Yields marked tasks, at most TASK_EVENTS_AT_ONCE, which limits the published events. */
function* unschedulableTasks(step: StepState): Generator<number> {
  const { taskCount, untouched } = step.record;
  let published = 0;
  const indices = untouched.unschedulable === true ? numbersTo(taskCount) : materializedIndices(step);
  for (const index of indices) {
    if (published === TASK_EVENTS_AT_ONCE) return;
    if (!taskOf(step, index).unschedulable) continue;
    published++;
    yield index;
  }
}

function* numbersTo(count: number): Generator<number> {
  for (let index = 0; index < count; index++) yield index;
}

function* materializedIndices(step: StepState): Generator<number> {
  for (const { index } of materializedTasks(step)) yield index;
}
