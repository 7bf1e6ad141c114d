/** A run of indices in the task order of a step, both ends included. */
export interface IndexRange {
  readonly first: number;
  readonly last: number;
}

/** Returns the same indices as runs in ascending order, without duplicates or adjacent runs. */
export function mergeRuns(runs: readonly IndexRange[]): readonly IndexRange[] {
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

/** Formats runs for the API: `0-9,14`. */
export const formatIndexRanges = (runs: readonly IndexRange[]): string =>
  runs.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(',');

/** Yields all indices of the runs. */
export function* indicesIn(runs: readonly IndexRange[]): Generator<number> {
  for (const { first, last } of runs) for (let index = first; index <= last; index += 1) yield index;
}
