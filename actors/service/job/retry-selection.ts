import { nextTaskStatus, retryTriggerOf } from '../../../src/core/lifecycle/task-transitions.ts';
import { refused, type Outcome, done } from '../../../src/core/problems.ts';
import type { TaskState } from '../../../src/core/records/task-page.ts';
import type { IndexRun, RetryRequest, RetrySelection } from './messages.ts';
import type { JobState } from './state.ts';
import { taskOf, materializedTasks, type StepState } from './step-state.ts';

/** Maximum number of single tasks in one selection: each is written and published. Whole steps are not limited. */
export const SELECTED_TASKS_MAX = 100_000;

/**
 * Tasks of a step to retry or skip: all failed and canceled ones (`all`; of a skip all that have not succeeded), all
 * skipped ones, or these indices.
 */
export interface SelectedTasks {
  readonly step: StepState;
  readonly indices: 'all' | 'skipped' | readonly number[];
}

/** Returns the tasks of a selection that can be retried or skipped. Refuses with `conflict` if there are too many. */
export function selectedTasks(
  state: JobState,
  selection: RetrySelection,
  { skip }: Pick<RetryRequest, 'skip'>,
): Outcome<readonly SelectedTasks[]> {
  const { stepOrder, indices: named, workerOrdinal, isFailed, isSkipped } = selection;
  const isWhole = named === undefined && workerOrdinal === undefined && isFailed !== true;
  const selected: SelectedTasks[] = [];
  let remaining = SELECTED_TASKS_MAX;
  for (const step of state.steps) {
    if (stepOrder !== undefined && step.record.order !== stepOrder) continue;
    if (named !== undefined && (selection.chunkChanges ?? 0) !== (step.record.chunks?.changes ?? 0))
      return refused('conflict', 'the step has just changed the size of its chunks; repeat the request');
    if (isWhole) {
      selected.push({ step, indices: isSkipped === true ? 'skipped' : 'all' });
      continue;
    }
    const indices: number[] = [];
    for (const index of candidates(step, selection)) {
      const task = taskOf(step, index);
      if (!isWanted(task, selection) || !(skip === undefined ? isRetriable(task) : isSkippable(task)))
        continue;
      if (remaining === 0) {
        const detail = `the selection has more than ${SELECTED_TASKS_MAX} tasks; select fewer tasks or whole steps`;
        return refused('conflict', detail);
      }
      indices.push(index);
      remaining--;
    }
    if (indices.length > 0) selected.push({ step, indices });
  }
  return done(selected);
}

/** Reports whether a manual retry of the task would change it. */
export const isRetriable = (task: TaskState): boolean => retryTriggerOf(task) !== null;

/** Reports whether the task can be skipped. */
export const isSkippable = ({ status }: TaskState): boolean => nextTaskStatus(status, 'skip') !== null;

function* candidates(step: StepState, { indices }: RetrySelection): Generator<number> {
  if (indices !== undefined) {
    for (const run of indices) yield* indicesOf(run, step.record.taskCount);
    return;
  }
  // Only a task that has run can have failed.
  if (step.record.taskCounts.failed === 0) return;
  for (const { index } of materializedTasks(step)) yield index;
}

function* indicesOf({ start, step, count }: IndexRun, taskCount: number): Generator<number> {
  for (let nth = 0, index = start; nth < count && index < taskCount; nth++, index += step) yield index;
}

function isWanted(task: TaskState, { workerOrdinal, isFailed, isSkipped }: RetrySelection): boolean {
  if (isSkipped === true && !task.skipped) return false;
  if ((isFailed === true || workerOrdinal !== undefined) && task.status !== 'failed') return false;
  return workerOrdinal === undefined || task.workerOrdinal === workerOrdinal;
}
