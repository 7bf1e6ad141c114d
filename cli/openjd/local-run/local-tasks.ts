import { chunksOfPlan, chunksSentence, withMeasured } from '../../../src/core/lifecycle/chunk-sizes.ts';
import { recutChunks } from '../../../src/core/lifecycle/recut-chunks.ts';
import type { StepChunks } from '../../../src/core/records/step.ts';
import { openAdaptiveSpace } from '../../../src/openjd/template/space/adaptive-space.ts';
import type { SelectedStep } from './select-tasks.ts';

/** The tasks of a step in a local run. */
interface LocalTasks {
  /** Yields the tasks to run, in order. */
  indices(): Iterable<number>;
  valuesOf(index: number): Record<string, string>;
  count(): number;
  /** Records the time of a task. The tasks after it may be others then. */
  succeeded(index: number, ms: number): void;
}

/**
 * Returns the tasks of a selected step. If its chunks have a target run time and all its tasks run, the chunks that
 * have not run yet change their size like those of the service.
 */
export function localTasksOf(
  selected: SelectedStep,
  events: { chunksChange(step: string, chunks: string): void },
): LocalTasks {
  const chunks = selected.isWhole ? chunksOfPlan(selected.step) : null;
  return chunks === null ? fixedTasks(selected) : adaptiveTasks(selected.step, chunks, events);
}

const fixedTasks = ({ space, indices, count }: SelectedStep): LocalTasks => ({
  indices: () => indices,
  valuesOf: (index) => space.at(index),
  count: () => count,
  succeeded: () => undefined,
});

function adaptiveTasks(
  { name, space: description }: SelectedStep['step'],
  first: StepChunks,
  events: { chunksChange(step: string, chunks: string): void },
): LocalTasks {
  let chunks = first;
  let space = openAdaptiveSpace(description, chunks.sections);
  return {
    *indices() {
      for (let index = 0; index < space.length; index++) yield index;
    },
    valuesOf: (index) => space.at(index),
    count: () => space.length,
    succeeded: (index, ms) => {
      chunks = withMeasured(chunks, { items: space.itemsOf(index).count, ms });
      const recut = recutChunks(chunks, space, index + 1, Infinity);
      if (recut === null) return;
      chunks = recut.chunks;
      space = openAdaptiveSpace(description, chunks.sections);
      events.chunksChange(name, chunksSentence(chunks));
    },
  };
}
