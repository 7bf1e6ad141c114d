import type { TaskState } from '../../../src/core/records/task-page.ts';
import { taskOf, materializedTasks, type StepState } from './step-state.ts';

/** What a turn of the job actor does with the tasks of a step. */
interface TaskWriter {
  write(step: StepState, index: number, task: TaskState): void;
  touch(step: StepState): void;
  publishTask(step: StepState, index: number, task: TaskState): void;
}

/** Events of tasks that change together: as many as a client can be sent again after a break (`events.replay_depth`). */
const TASK_EVENTS_AT_ONCE = 1_000;

/**
 * Marks the ready tasks of a step that are ready since `readyBefore` as unschedulable: no online worker may run them.
 * Whether anything has changed.
 */
export function markUnschedulable(
  turn: TaskWriter,
  step: StepState,
  reason: string,
  readyBefore: number,
): boolean {
  const { untouched, taskCounts, unschedulableReason } = step.record;
  // What is held back by retry_after is ready for the lease from then on.
  const isOld = (task: Pick<TaskState, 'status' | 'updatedAt'>, retryAfter: number): boolean =>
    task.status === 'ready' && Math.max(task.updatedAt, retryAfter) <= readyBefore;
  const marked: number[] = [];
  let touchedReady = 0;
  for (const { index, task } of [...materializedTasks(step)]) {
    if (task.status === 'ready') touchedReady++;
    if (!isOld(task, task.retryAfter) || task.unschedulable) continue;
    turn.write(step, index, { ...task, unschedulable: true });
    marked.push(index);
  }
  const marksUntouched = isOld(untouched, 0) && untouched.unschedulable !== true;
  const howMany = marked.length + (marksUntouched ? taskCounts.ready - touchedReady : 0);
  const isNewReason = reason !== unschedulableReason && taskCounts.unschedulable > 0;
  if (howMany === 0 && !isNewReason) return false;
  taskCounts.unschedulable += howMany;
  step.record.unschedulableReason = reason;
  if (marksUntouched) step.record.untouched = { ...untouched, unschedulable: true };
  turn.touch(step);
  const told = isNewReason || marksUntouched ? unschedulableTasks(step) : marked;
  for (const index of told) turn.publishTask(step, index, taskOf(step, index));
  return true;
}

/** Takes the mark back from every task of a step; whether there was any. */
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

/** Tasks that are marked, the first ones of a step of very many: clients are told of no more at once. */
function* unschedulableTasks(step: StepState): Generator<number> {
  const { taskCount, untouched } = step.record;
  let told = 0;
  const indices = untouched.unschedulable === true ? numbersTo(taskCount) : touchedIndices(step);
  for (const index of indices) {
    if (told === TASK_EVENTS_AT_ONCE) return;
    if (!taskOf(step, index).unschedulable) continue;
    told++;
    yield index;
  }
}

function* numbersTo(count: number): Generator<number> {
  for (let index = 0; index < count; index++) yield index;
}

function* touchedIndices(step: StepState): Generator<number> {
  for (const { index } of materializedTasks(step)) yield index;
}
