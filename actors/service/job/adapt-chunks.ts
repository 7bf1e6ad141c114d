import { nextChunkSize, withMeasured } from '../../../src/core/lifecycle/chunk-sizes.ts';
import { recutChunks } from '../../../src/core/lifecycle/recut-chunks.ts';
import { readTaskStatus, TASKS_PER_PAGE } from '../../../src/core/records/task-page.ts';
import { openAdaptiveSpace } from '../../../src/openjd/template/space/adaptive-space.ts';
import type { StepState } from './step-state.ts';

/** Maximum number of tasks after chunks have become smaller: the default of `openjd.max_tasks_per_step`. */
const ADAPTED_TASKS_MAX = 1_000_000;

/** Records the time of a successful attempt of a step whose chunks have a target run time. */
export function measureChunk({ record, adaptive }: StepState, index: number, ms: number): void {
  if (record.chunks === null || adaptive === null) return;
  const { count: items } = adaptive.itemsOf(index);
  record.chunks = withMeasured(record.chunks, { items, ms });
}

/**
 * Cuts the tasks at the end of a step that have no record into chunks of the size that the measured times ask for
 * (docs/decisions/adaptive-chunks.md). Tasks with a record keep their index and their values. Returns whether the tasks
 * have changed. The decision depends on the records of step and tasks alone.
 */
export function adaptChunks(step: StepState): boolean {
  const { record, adaptive } = step;
  const { chunks, taskCount, taskCounts, untouched } = record;
  if (chunks === null || adaptive === null || untouched.status !== 'ready') return false;
  if (nextChunkSize(chunks) === null) return false;
  const recut = recutChunks(chunks, adaptive, firstOfTail(step), ADAPTED_TASKS_MAX);
  if (recut === null) return false;
  const change = recut.taskCount - taskCount;
  record.chunks = recut.chunks;
  record.taskCount = recut.taskCount;
  taskCounts.total += change;
  taskCounts.ready += change;
  if (untouched.unschedulable === true) taskCounts.unschedulable += change;
  step.adaptive = openAdaptiveSpace(step.plan.space, recut.chunks.sections);
  step.space = step.adaptive;
  return true;
}

/** Returns the index after the last task that has a record. */
function firstOfTail({ pages }: StepState): number {
  let last = -1;
  for (const number of pages.keys()) last = Math.max(last, number);
  const page = pages.get(last);
  for (let index = (last + 1) * TASKS_PER_PAGE - 1; page !== undefined && index >= 0; index--)
    if (readTaskStatus(page, index) !== null) return index + 1;
  return 0;
}
