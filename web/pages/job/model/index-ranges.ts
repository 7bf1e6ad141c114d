/** Neighbouring places of a step's task order, both ends included. */
export interface IndexRange {
  readonly first: number;
  readonly last: number;
}

/** The places as runs in rising order, none twice. */
export function mergedRuns(runs: readonly IndexRange[]): readonly IndexRange[] {
  const sorted = [...runs].sort((one, other) => one.first - other.first);
  const merged: IndexRange[] = [];
  for (const run of sorted) {
    const before = merged.at(-1);
    if (before !== undefined && run.first <= before.last + 1) {
      merged[merged.length - 1] = { first: before.first, last: Math.max(before.last, run.last) };
    } else merged.push(run);
  }
  return merged;
}

export const countOfRuns = (runs: readonly IndexRange[]): number =>
  runs.reduce((sum, { first, last }) => sum + last - first + 1, 0);

/** The places as the API takes them: `0-9,14`. */
export const formatIndexRanges = (runs: readonly IndexRange[]): string =>
  runs.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(',');

/** All places of the runs, one by one. */
export function* indicesIn(runs: readonly IndexRange[]): Generator<number> {
  for (const { first, last } of runs) for (let place = first; place <= last; place += 1) yield place;
}
