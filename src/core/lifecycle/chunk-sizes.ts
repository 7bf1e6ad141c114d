import type { StepPlan } from '../../openjd/template/plan.ts';
import { firstSection } from '../../openjd/template/space/adaptive-space.ts';
import type { MeasuredChunk, StepChunks } from '../records/step.ts';

/** Maximum number of latest attempts that determine the size. */
const MEASURED_MAX = 16;
/** Number of them that remain after a change: a value of a smaller chunk takes longer if each task loads a scene. */
const MEASURED_AFTER_CHANGE = 2;
/** A chunk is at most this many times as large as the largest measured one: the next values may take longer. */
const GROWTH_MAX = 4;
/**
 * A new size differs from the old one by at least a quarter, and by another quarter for every 8 changes before: each
 * change adds a section, and the sections are part of the step's record.
 */
const QUARTERS_EVERY = 8;
export const CHUNK_CHANGES_MAX = 64;
const SECOND_MS = 1000;

/**
 * Returns the chunks of a new step; null if they have no target run time. Without one, all chunks have their default
 * size (specification, section 3.4.1.5).
 */
export function chunksOfPlan({ chunks, space }: Pick<StepPlan, 'chunks' | 'space'>): StepChunks | null {
  if (chunks === undefined || chunks.targetRuntimeSeconds === 0) return null;
  const section = firstSection(space);
  if (section === null) return null;
  return {
    parameter: chunks.parameter,
    targetSeconds: chunks.targetRuntimeSeconds,
    sections: [section],
    changes: 0,
    measured: [],
  };
}

/** Returns the size of the chunks that have not started. */
export const chunkSizeOf = ({ sections }: Pick<StepChunks, 'sections'>): number => sections.at(-1)?.size ?? 1;

/** Records a successful attempt. */
export const withMeasured = (chunks: StepChunks, chunk: MeasuredChunk): StepChunks => ({
  ...chunks,
  measured: [...chunks.measured.slice(1 - MEASURED_MAX), chunk],
});

/** Replaces the sections. Most of the attempts measured with the earlier sizes no longer count. */
export const withSections = (chunks: StepChunks, sections: StepChunks['sections']): StepChunks => ({
  ...chunks,
  sections,
  changes: chunks.changes + 1,
  measured: chunks.measured.slice(-MEASURED_AFTER_CHANGE),
});

/**
 * Returns the size with which chunks take the target run time, from the measured attempts. Null if the current size is
 * kept: nothing is measured yet, the sizes differ too little, or the size has changed too often.
 */
export function nextChunkSize(chunks: StepChunks): number | null {
  const { measured, targetSeconds, changes } = chunks;
  if (measured.length === 0 || changes >= CHUNK_CHANGES_MAX) return null;
  const current = chunkSizeOf(chunks);
  const { items, ms } = totalOf(measured);
  const wanted = Math.max(1, Math.floor((targetSeconds * SECOND_MS * items) / Math.max(1, ms)));
  const largest = GROWTH_MAX * Math.max(...measured.map((chunk) => chunk.items));
  const size = wanted <= current ? wanted : Math.max(current, Math.min(wanted, largest));
  const quarters = 1 + Math.floor(changes / QUARTERS_EVERY);
  const isFar = Math.max(size, current) * 4 >= Math.min(size, current) * (4 + quarters);
  return size !== current && isFar ? size : null;
}

/** Returns the seconds that one value of the chunked parameter takes on average; null if nothing is measured. */
export function secondsPerItem({ measured }: Pick<StepChunks, 'measured'>): number | null {
  if (measured.length === 0) return null;
  const { items, ms } = totalOf(measured);
  return ms / items / SECOND_MS;
}

/** Returns a sentence about the size of the chunks: why it is what it is. */
export function chunksSentence(chunks: StepChunks): string {
  const { parameter, targetSeconds, measured } = chunks;
  const size = chunkSizeOf(chunks);
  const what = size === 1 ? `chunks of 1 value of ${parameter}` : `chunks of ${size} values of ${parameter}`;
  const seconds = secondsPerItem(chunks);
  const target = `the target is ${secondsText(targetSeconds)}`;
  if (seconds === null) return `${what} until the first task has succeeded; ${target}`;
  const from = measured.length === 1 ? '1 task' : `${measured.length} tasks`;
  return `${what}: a value takes ${secondsText(seconds)} on average (from ${from}), ${target}`;
}

const totalOf = (measured: readonly MeasuredChunk[]): MeasuredChunk =>
  measured.reduce((sum, { items, ms }) => ({ items: sum.items + items, ms: sum.ms + ms }), {
    items: 0,
    ms: 0,
  });

/** Formats with three digits at most: `0.042 s`, `2.4 s`, `24 s`, `3600 s`. */
function secondsText(seconds: number): string {
  const digits = seconds >= 100 ? 0 : seconds >= 10 ? 1 : seconds >= 1 ? 2 : 3;
  return `${Number(seconds.toFixed(digits))} s`;
}
