/** start, start + step, ...: `count` integers; step and count are at least 1. */
export interface Run {
  readonly start: bigint;
  readonly step: bigint;
  readonly count: bigint;
}

const MAX_COUNT = BigInt(Number.MAX_SAFE_INTEGER);

export const lastOf = (run: Run): bigint => run.start + run.step * (run.count - 1n);

export const sizeOfRuns = (runs: readonly Run[]): bigint => runs.reduce((sum, run) => sum + run.count, 0n);

/**
 * Returns the normal form of runs that are in increasing order and do not overlap: adjacent runs of the same step are
 * joined, a run of one integer has step 1, and a run of two with a gap is two runs. Equal sets written as equal parts
 * have equal text.
 */
export function normalRuns(runs: readonly Run[]): Run[] {
  const split: Run[] = [];
  for (const run of joined(runs)) {
    if (run.count === 2n && run.step !== 1n) split.push(single(run.start), single(lastOf(run)));
    else split.push(run.count === 1n ? single(run.start) : run);
  }
  return joined(split);
}

function joined(runs: readonly Run[]): Run[] {
  const result: Run[] = [];
  for (const run of runs) {
    const previous = result.at(-1);
    if (previous !== undefined && previous.step === run.step && run.start === lastOf(previous) + run.step) {
      result[result.length - 1] = { ...previous, count: previous.count + run.count };
    } else result.push(run);
  }
  return result;
}

/** Returns the runs of integers in increasing order; equal ones count once. */
export function runsOfValues(values: readonly bigint[]): Run[] {
  const sorted = [...new Set(values)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return normalRuns(sorted.map(single));
}

/** Formats runs as a range expression: `1-5`, `1-9:2`, `7,8`. */
export const textOfRuns = (runs: readonly Run[]): string => runs.map(textOfRun).join(',');

function textOfRun(run: Run): string {
  const last = lastOf(run);
  if (run.count === 1n) return `${run.start}`;
  if (run.count === 2n) return `${run.start},${last}`;
  return run.step === 1n ? `${run.start}-${last}` : `${run.start}-${last}:${run.step}`;
}

/**
 * Formats runs with the longest progressions, from the left, regardless of the given parts: `1,3,5` is `1-5:2`. Takes
 * time linear in the number of runs, not of integers.
 */
export function shortestText(runs: readonly Run[]): string {
  const result: Run[] = [];
  let open: Run | null = null;
  const feed = (value: bigint): void => {
    if (open === null) open = single(value);
    else if (open.count === 1n) open = { start: open.start, step: value - open.start, count: 2n };
    else if (value === lastOf(open) + open.step) open = { ...open, count: open.count + 1n };
    else if (open.count === 2n) {
      result.push(single(open.start));
      open = { start: lastOf(open), step: value - lastOf(open), count: 2n };
    } else {
      result.push(open);
      open = single(value);
    }
  };
  for (const run of runs) {
    // After three integers of a run its step is known; the others only extend the progression.
    const fed = run.count < 3n ? run.count : 3n;
    for (let index = 0n; index < fed; index++) feed(run.start + index * run.step);
    const grown = openOf(open);
    if (run.count > fed && grown !== null) open = { ...grown, count: grown.count + run.count - fed };
  }
  const rest = openOf(open);
  if (rest !== null) result.push(rest);
  return textOfRuns(result);
}

/** Undoes the narrowing of a variable that a closure assigns. */
const openOf = (run: Run | null): Run | null => run;

/** Returns the runs of a description: its counts are safe integers, so a longer run becomes several. */
export function describeRuns(runs: readonly Run[]): IntegerRun[] {
  const result: IntegerRun[] = [];
  for (const run of runs) {
    for (let done = 0n; done < run.count; done += MAX_COUNT) {
      const left = run.count - done;
      result.push({
        start: `${run.start + done * run.step}`,
        step: `${run.step}`,
        count: Number(left < MAX_COUNT ? left : MAX_COUNT),
      });
    }
  }
  return result;
}

export const runsOfDescription = (runs: readonly IntegerRun[]): Run[] =>
  runs.map((run) => ({ start: BigInt(run.start), step: BigInt(run.step), count: BigInt(run.count) }));

const single = (value: bigint): Run => ({ start: value, step: 1n, count: 1n });

/** start, start + step, ... : `count` integers. */
export interface IntegerRun {
  readonly start: string;
  readonly step: string;
  readonly count: number;
}
