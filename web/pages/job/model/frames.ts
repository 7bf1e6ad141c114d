import type { TaskAxis } from '../../../../client/resources.ts';
import { mergedRuns, type IndexRange } from './index-ranges.ts';

/**
 * What people call the tasks of a step: where one task parameter tells them apart, by its value ("frame 1010"), else by
 * their place in the task order.
 */
export interface FrameScale {
  readonly count: number;
  /** The name of the parameter; empty where tasks are called by their place. */
  readonly parameter: string;
  /** Whether names are integers, or ranges of them, so that a range of them means something. */
  readonly isNumeric: boolean;
  labelAt(place: number): string;
  /** The places that a range such as `1010-1020`, `1,4,7-9` or `1-99:2` names; what is wrong with it otherwise. */
  placesOf(text: string): PlacesReading;
}

export type PlacesReading =
  | { readonly ok: true; readonly runs: readonly IndexRange[] }
  | { readonly ok: false; readonly detail: string };

type AxisRun = NonNullable<TaskAxis['runs']>[number];

interface NumberRange {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

const PART = /^(-?[0-9]{1,15})(?:\s*-\s*(-?[0-9]{1,15})(?:\s*:\s*([0-9]{1,15}))?)?$/;
const PARTS_MAX = 1_000;
/** Places that a range with a step may name one by one. */
const SINGLES_MAX = 100_000;

/** The scale of a step with so many tasks; `axis` is what the service says of its parameter. */
export function frameScale(count: number, axis: TaskAxis | undefined): FrameScale {
  if (axis?.runs !== undefined) return runScale(count, axis.parameter, axis.runs);
  if (axis?.values === undefined) return placeScale(count);
  return axis.type === 'INT' || axis.type === 'CHUNK[INT]'
    ? chunkScale(count, axis.parameter, axis.values)
    : wordScale(count, axis.parameter, axis.values);
}

function placeScale(count: number): FrameScale {
  const runs = [{ start: 0, step: 1, count }];
  return {
    count,
    parameter: '',
    isNumeric: true,
    labelAt: String,
    placesOf: (text) => found(readRanges(text), count, (range) => placesInRuns(runs, range), 'task'),
  };
}

function runScale(count: number, parameter: string, runs: readonly AxisRun[]): FrameScale {
  return {
    count,
    parameter,
    isNumeric: true,
    labelAt: (place) => String(valueInRuns(runs, place) ?? place),
    placesOf: (text) => found(readRanges(text), count, (range) => placesInRuns(runs, range), parameter),
  };
}

/** A task of chunks stands for several integers: it is meant when any of them is. */
function chunkScale(count: number, parameter: string, values: readonly string[]): FrameScale {
  const chunks = values.map(readRanges);
  return {
    count,
    parameter,
    isNumeric: true,
    labelAt: (place) => values[place] ?? String(place),
    placesOf: (text) =>
      found(
        readRanges(text),
        count,
        (range) =>
          chunks.flatMap((chunk, place) =>
            typeof chunk !== 'string' && chunk.some((part) => doMeet(part, range))
              ? [{ first: place, last: place }]
              : [],
          ),
        parameter,
      ),
  };
}

function wordScale(count: number, parameter: string, values: readonly string[]): FrameScale {
  return {
    count,
    parameter,
    isNumeric: false,
    labelAt: (place) => values[place] ?? String(place),
    placesOf: (text) => {
      const words = text.split(',').map((word) => word.trim());
      const unknown = words.find((word) => !values.includes(word));
      if (unknown !== undefined)
        return { ok: false, detail: unknown === '' ? 'Type a value.' : `No ${parameter} is “${unknown}”.` };
      const runs = values.flatMap((value, place) =>
        words.includes(value) ? [{ first: place, last: place }] : [],
      );
      return { ok: true, runs: mergedRuns(runs) };
    },
  };
}

function found(
  ranges: readonly NumberRange[] | string,
  count: number,
  places: (range: NumberRange) => readonly IndexRange[],
  what: string,
): PlacesReading {
  if (typeof ranges === 'string') return { ok: false, detail: ranges };
  const runs: IndexRange[] = [];
  for (const range of ranges) {
    runs.push(...places(range).filter(({ first }) => first < count));
    if (runs.length > SINGLES_MAX) return { ok: false, detail: 'That names too many single tasks.' };
  }
  if (runs.length === 0) return { ok: false, detail: `There is no ${what} in that range.` };
  return { ok: true, runs: mergedRuns(runs) };
}

/** Reads `1-10`, `1,4,7-9`, `1-99:2`; says what is wrong otherwise. */
function readRanges(text: string): readonly NumberRange[] | string {
  if (text.trim() === '') return 'Type a range like 1010-1020 or 1,4,7-9.';
  const parts = text.split(',');
  if (parts.length > PARTS_MAX) return `A range has at most ${PARTS_MAX.toLocaleString('en')} parts.`;
  const ranges: NumberRange[] = [];
  for (const part of parts) {
    const match = PART.exec(part.trim());
    if (match === null) return `“${part.trim()}” is no range: write 5, 1010-1020 or 1-99:2.`;
    const from = Number(match[1]);
    const to = Number(match[2] ?? match[1]);
    const step = Number(match[3] ?? 1);
    if (to < from) return `“${part.trim()}” goes down: write ${to}-${from}.`;
    if (step === 0) return `“${part.trim()}” has the step 0.`;
    ranges.push({ from, to, step });
  }
  return ranges;
}

function valueInRuns(runs: readonly AxisRun[], place: number): number | null {
  let before = 0;
  for (const { start, step, count } of runs) {
    if (place < before + count) return start + (place - before) * step;
    before += count;
  }
  return null;
}

function placesInRuns(runs: readonly AxisRun[], { from, to, step }: NumberRange): readonly IndexRange[] {
  const places: IndexRange[] = [];
  let before = 0;
  for (const run of runs) {
    const stride = run.count === 1 ? 1 : run.step;
    const first = Math.max(0, Math.ceil((from - run.start) / stride));
    const last = Math.min(run.count - 1, Math.floor((to - run.start) / stride));
    if (first <= last && step === 1) places.push({ first: before + first, last: before + last });
    else {
      for (let offset = first; offset <= last && places.length <= SINGLES_MAX; offset += 1) {
        if ((run.start + offset * stride - from) % step === 0)
          places.push({ first: before + offset, last: before + offset });
      }
    }
    before += run.count;
  }
  return places;
}

/** Whether two ranges have an integer in common. One with a step is narrowed by trying: chunks are small. */
function doMeet(chunk: NumberRange, asked: NumberRange): boolean {
  const first = Math.max(chunk.from, asked.from);
  const last = Math.min(chunk.to, asked.to);
  if (first > last) return false;
  if (chunk.step === 1 && asked.step === 1) return true;
  for (let value = first; value <= last && value - first <= SINGLES_MAX; value += 1) {
    if ((value - chunk.from) % chunk.step === 0 && (value - asked.from) % asked.step === 0) return true;
  }
  return false;
}

/** Runs of places as people write them: `1010-1020`. Neighbouring values are joined, others are listed. */
export function frameText(scale: FrameScale, runs: readonly IndexRange[]): string {
  return runs
    .map(({ first, last }) => {
      const from = scale.labelAt(first);
      if (first === last) return from;
      const to = scale.labelAt(last);
      if (!scale.isNumeric) return `${from} … ${to}`;
      return joined(from, to, last - first, scale.labelAt(first + 1));
    })
    .join(',');
}

function joined(from: string, to: string, steps: number, second: string): string {
  const first = Number(from);
  const last = Number(to);
  // Chunks: from the first of the first to the last of the last.
  if (Number.isNaN(first) || Number.isNaN(last)) return `${startOf(from)}-${endOf(to)}`;
  const step = Number(second) - first;
  return step === 1 || steps === 0 || first + step * steps !== last
    ? `${from}-${to}`
    : `${from}-${to}:${step}`;
}

const startOf = (chunk: string): string => /^-?[0-9]+/.exec(chunk)?.[0] ?? chunk;
const endOf = (chunk: string): string => /(?:^|[,-])(-?[0-9]+)(?::[0-9]+)?$/.exec(chunk)?.[1] ?? chunk;
