import type { TaskAxis } from '../../../../client/resources.ts';
import { mergeRuns, type IndexRange } from './index-ranges.ts';

/**
 * Maps the tasks of a step to the names that users know: the value of the task parameter ("frame 1010") if a step has
 * only one, else the index in the task order.
 */
export interface FrameScale {
  readonly count: number;
  /** The name of the parameter; empty if tasks are named by index. */
  readonly parameter: string;
  /** Names are integers or ranges of integers. */
  readonly isNumeric: boolean;
  labelAt(index: number): string;
  /** Returns the indices of a range such as `1010-1020`, `1,4,7-9` or `1-99:2`, or an error text. */
  parseRange(text: string): RangeReading;
}

export type RangeReading =
  | { readonly ok: true; readonly runs: readonly IndexRange[] }
  | { readonly ok: false; readonly detail: string };

type AxisRun = NonNullable<TaskAxis['runs']>[number];

interface NumberRange {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

const PART = /^(-?[0-9]{1,15})(?:\s*-\s*(-?[0-9]{1,15})(?:\s*:\s*([0-9]{1,15}))?)?$/;
const MAX_PARTS = 1_000;
/** Largest number of separate runs in the result. */
const MAX_SINGLES = 100_000;

/** Returns the scale of a step with `count` tasks. `axis` describes its task parameter. */
export function frameScale(count: number, axis: TaskAxis | undefined): FrameScale {
  if (axis?.runs !== undefined) return runScale(count, axis.parameter, axis.runs);
  if (axis?.values === undefined) return indexScale(count);
  return axis.type === 'INT' || axis.type === 'CHUNK[INT]'
    ? chunkScale(count, axis.parameter, axis.values)
    : textScale(count, axis.parameter, axis.values);
}

function indexScale(count: number): FrameScale {
  const runs = [{ start: 0, step: 1, count }];
  return {
    count,
    parameter: '',
    isNumeric: true,
    labelAt: String,
    parseRange: (text) => readingOf(readRanges(text), count, (range) => indexRunsIn(runs, range), 'task'),
  };
}

function runScale(count: number, parameter: string, runs: readonly AxisRun[]): FrameScale {
  return {
    count,
    parameter,
    isNumeric: true,
    labelAt: (index) => String(valueInRuns(runs, index) ?? index),
    parseRange: (text) => readingOf(readRanges(text), count, (range) => indexRunsIn(runs, range), parameter),
  };
}

/** A task of a chunk has several integers. A range includes the task if it includes one of them. */
function chunkScale(count: number, parameter: string, values: readonly string[]): FrameScale {
  const chunks = values.map(readRanges);
  return {
    count,
    parameter,
    isNumeric: true,
    labelAt: (index) => values[index] ?? String(index),
    parseRange: (text) =>
      readingOf(
        readRanges(text),
        count,
        (range) =>
          chunks.flatMap((chunk, index) =>
            typeof chunk !== 'string' && chunk.some((part) => overlaps(part, range))
              ? [{ first: index, last: index }]
              : [],
          ),
        parameter,
      ),
  };
}

function textScale(count: number, parameter: string, values: readonly string[]): FrameScale {
  return {
    count,
    parameter,
    isNumeric: false,
    labelAt: (index) => values[index] ?? String(index),
    parseRange: (text) => {
      const wanted = text.split(',').map((part) => part.trim());
      const unknown = wanted.find((part) => !values.includes(part));
      if (unknown !== undefined)
        return {
          ok: false,
          detail: unknown === '' ? 'Enter a value.' : `Unknown ${parameter} “${unknown}”.`,
        };
      const runs = values.flatMap((value, index) =>
        wanted.includes(value) ? [{ first: index, last: index }] : [],
      );
      return { ok: true, runs: mergeRuns(runs) };
    },
  };
}

function readingOf(
  ranges: readonly NumberRange[] | string,
  count: number,
  indices: (range: NumberRange) => readonly IndexRange[],
  what: string,
): RangeReading {
  if (typeof ranges === 'string') return { ok: false, detail: ranges };
  const runs: IndexRange[] = [];
  for (const range of ranges) {
    runs.push(...indices(range).filter(({ first }) => first < count));
    if (runs.length > MAX_SINGLES) return { ok: false, detail: 'The range has too many single tasks.' };
  }
  if (runs.length === 0) return { ok: false, detail: `No ${what} in this range.` };
  return { ok: true, runs: mergeRuns(runs) };
}

/** Parses `1-10`, `1,4,7-9` or `1-99:2`; returns an error text for anything else. */
function readRanges(text: string): readonly NumberRange[] | string {
  if (text.trim() === '') return 'Enter a range such as 1010-1020 or 1,4,7-9.';
  const parts = text.split(',');
  if (parts.length > MAX_PARTS) return `A range has at most ${MAX_PARTS.toLocaleString('en')} parts.`;
  const ranges: NumberRange[] = [];
  for (const part of parts) {
    const match = PART.exec(part.trim());
    if (match === null) return `Invalid range “${part.trim()}”. Use 5, 1010-1020, or 1-99:2.`;
    const from = Number(match[1]);
    const to = Number(match[2] ?? match[1]);
    const step = Number(match[3] ?? 1);
    if (to < from) return `Descending range “${part.trim()}”. Use ${to}-${from}.`;
    if (step === 0) return `Invalid step 0 in “${part.trim()}”. Use a step of 1 or more.`;
    ranges.push({ from, to, step });
  }
  return ranges;
}

function valueInRuns(runs: readonly AxisRun[], index: number): number | null {
  let before = 0;
  for (const { start, step, count } of runs) {
    if (index < before + count) return start + (index - before) * step;
    before += count;
  }
  return null;
}

function indexRunsIn(runs: readonly AxisRun[], { from, to, step }: NumberRange): readonly IndexRange[] {
  const indices: IndexRange[] = [];
  let before = 0;
  for (const run of runs) {
    const stride = run.count === 1 ? 1 : run.step;
    const first = Math.max(0, Math.ceil((from - run.start) / stride));
    const last = Math.min(run.count - 1, Math.floor((to - run.start) / stride));
    if (first <= last && step === 1) indices.push({ first: before + first, last: before + last });
    else {
      for (let offset = first; offset <= last && indices.length <= MAX_SINGLES; offset += 1) {
        if ((run.start + offset * stride - from) % step === 0)
          indices.push({ first: before + offset, last: before + offset });
      }
    }
    before += run.count;
  }
  return indices;
}

/** Reports whether two ranges have an integer in common. Tries each integer if there is a step, because chunks are small. */
function overlaps(chunk: NumberRange, wanted: NumberRange): boolean {
  const first = Math.max(chunk.from, wanted.from);
  const last = Math.min(chunk.to, wanted.to);
  if (first > last) return false;
  if (chunk.step === 1 && wanted.step === 1) return true;
  for (let value = first; value <= last && value - first <= MAX_SINGLES; value += 1) {
    if ((value - chunk.from) % chunk.step === 0 && (value - wanted.from) % wanted.step === 0) return true;
  }
  return false;
}

/** Formats runs of indices as a range of names: `1010-1020`. */
export function frameText(scale: FrameScale, runs: readonly IndexRange[]): string {
  return runs
    .map(({ first, last }) => {
      const from = scale.labelAt(first);
      if (first === last) return from;
      const to = scale.labelAt(last);
      if (!scale.isNumeric) return `${from} … ${to}`;
      return joinLabels(from, to, last - first, scale.labelAt(first + 1));
    })
    .join(',');
}

function joinLabels(from: string, to: string, steps: number, second: string): string {
  const first = Number(from);
  const last = Number(to);
  // The names are chunks: the range is from the first integer of the first chunk to the last integer of the last one.
  if (Number.isNaN(first) || Number.isNaN(last)) return `${startOf(from)}-${endOf(to)}`;
  const step = Number(second) - first;
  return step === 1 || steps === 0 || first + step * steps !== last
    ? `${from}-${to}`
    : `${from}-${to}:${step}`;
}

const startOf = (chunk: string): string => /^-?[0-9]+/.exec(chunk)?.[0] ?? chunk;
const endOf = (chunk: string): string => /(?:^|[,-])(-?[0-9]+)(?::[0-9]+)?$/.exec(chunk)?.[1] ?? chunk;
