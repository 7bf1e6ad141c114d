import type { AdaptiveSpace } from '../../openjd/template/space/adaptive-space.ts';
import type { StepChunks } from '../records/step.ts';
import { chunkSizeOf, nextChunkSize, withSections } from './chunk-sizes.ts';

interface RecutChunks {
  readonly chunks: StepChunks;
  /** Number of tasks of the step. */
  readonly taskCount: number;
}

/**
 * Cuts the tasks from `from` on into chunks of the size that the measured times ask for. Returns null if the tasks stay
 * as they are. Smaller chunks never make more than `tasksMax` tasks, except for a step that has had more before.
 */
export function recutChunks(
  chunks: StepChunks,
  space: AdaptiveSpace,
  from: number,
  tasksMax: number,
): RecutChunks | null {
  const wanted = nextChunkSize(chunks);
  if (wanted === null || from >= space.length) return null;
  const { first: firstItem } = space.itemsOf(from);
  const before = space.length - from;
  // With the current size there are as many as before.
  const sizeMax = Math.max(wanted, chunkSizeOf(chunks));
  const most = Math.max(before, tasksMax - from);
  let size = wanted;
  let count = space.chunksFrom(firstItem, size);
  while (count > most && size < sizeMax) {
    size = Math.min(size + Math.ceil(size / 4), sizeMax);
    count = space.chunksFrom(firstItem, size);
  }
  if (count === before) return null;
  const kept = chunks.sections.filter(({ firstTask }) => firstTask < from);
  const sections = [...kept, { firstTask: from, firstItem, size }];
  return { chunks: withSections(chunks, sections), taskCount: from + count };
}
