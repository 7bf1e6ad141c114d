import type { StepRecord } from './step.ts';
import { readTask, untouchedTask, type TaskState } from './task-page.ts';

/** Returns the effective state of the task at `index` of a step. `page` is the page of that index, if there is one. */
export function taskStateOf(step: StepRecord, page: Uint8Array | undefined, index: number): TaskState {
  const packed = page === undefined ? null : readTask(page, index);
  return packed ?? untouchedTask(step.untouched);
}
