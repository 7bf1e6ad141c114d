import { isTerminalTask } from '../../../src/core/lifecycle/task-transitions.ts';
import { refused, type Outcome, done } from '../../../src/core/problems.ts';
import type { IndexRun, RetrySelection } from './messages.ts';
import type { JobState } from './state.ts';
import { taskOf, materializedTasks, type StepState } from './step-state.ts';

/** Maximum number of single tasks in one selection: each is written and published. Whole steps are not limited. */
export const SELECTED_TASKS_MAX = 100_000;

/** Tasks of a step to retry: all failed and canceled ones, or these indices. */
export interface SelectedTasks {
  readonly step: StepState;
  readonly indices: 'all' | readonly number[];
}

/**
 * Returns the failed and canceled tasks of a selection, omitting steps without any. Refuses with `conflict` if there
 * are too many.
 */
export function selectedTasks(state: JobState, selection: RetrySelection): Outcome<readonly SelectedTasks[]> {
  const { stepOrder } = selection;
  const selected: SelectedTasks[] = [];
  let remaining = SELECTED_TASKS_MAX;
  for (const step of state.steps) {
    const { failed, canceled } = step.record.taskCounts;
    if ((stepOrder !== undefined && step.record.order !== stepOrder) || failed + canceled === 0) continue;
    if (selection.indices === undefined && selection.workerOrdinal === undefined) {
      selected.push({ step, indices: 'all' });
      continue;
    }
    const indices: number[] = [];
    for (const index of candidates(step, selection)) {
      if (!isWanted(step, index, selection)) continue;
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

function* candidates(step: StepState, { indices }: RetrySelection): Generator<number> {
  if (indices !== undefined) {
    for (const run of indices) yield* indicesOf(run, step.record.taskCount);
    return;
  }
  // Only a task that has run can have failed on a worker.
  for (const { index } of materializedTasks(step)) yield index;
}

function* indicesOf({ start, step, count }: IndexRun, taskCount: number): Generator<number> {
  for (let nth = 0, index = start; nth < count && index < taskCount; nth++, index += step) yield index;
}

function isWanted(step: StepState, index: number, { workerOrdinal }: RetrySelection): boolean {
  const task = taskOf(step, index);
  if (workerOrdinal !== undefined) return task.status === 'failed' && task.workerOrdinal === workerOrdinal;
  return isTerminalTask(task.status) && task.status !== 'succeeded';
}
