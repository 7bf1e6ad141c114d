import { diffSequences } from './line-diff.ts';

/** Lines of two texts that are shown next to each other, by their indexes from 0; null if a side has no such line. */
export type AlignedRow =
  | { readonly kind: 'same' | 'changed'; readonly left: number; readonly right: number }
  | { readonly kind: 'removed'; readonly left: number; readonly right: null }
  | { readonly kind: 'added'; readonly left: null; readonly right: number };

/**
 * Aligns two lists of lines. Lines that occur once in both lists are matched first, in the longest common order, so that
 * long texts with many differences are aligned as well; the parts between them are compared by `diffSequences`. Lines
 * that are removed and added at the same place are shown next to each other as `changed`.
 */
export function alignLines(left: readonly string[], right: readonly string[]): readonly AlignedRow[] {
  const rows: AlignedRow[] = [];
  let [fromLeft, fromRight] = [0, 0];
  for (const [atLeft, atRight] of [...anchorsOf(left, right), [left.length, right.length] as const]) {
    addPart(rows, left.slice(fromLeft, atLeft), right.slice(fromRight, atRight), fromLeft, fromRight);
    if (atLeft < left.length) rows.push({ kind: 'same', left: atLeft, right: atRight });
    [fromLeft, fromRight] = [atLeft + 1, atRight + 1];
  }
  return rows;
}

type Anchor = readonly [left: number, right: number];

/** Returns the lines that occur once in both lists, in the longest order that both have. */
function anchorsOf(left: readonly string[], right: readonly string[]): readonly Anchor[] {
  const inRight = uniqueLines(right);
  const pairs: Anchor[] = [];
  for (const [line, at] of uniqueLines(left)) {
    const other = inRight.get(line);
    if (other !== undefined) pairs.push([at, other]);
  }
  return longestAscending(pairs);
}

/** Returns the indexes of the lines that occur once, in order. */
function uniqueLines(lines: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (places.has(line)) repeated.add(line);
    else places.set(line, at);
  }
  for (const line of repeated) places.delete(line);
  return places;
}

/** Returns a longest selection of the pairs, which ascend on the left, that ascends on the right too. */
function longestAscending(pairs: readonly Anchor[]): readonly Anchor[] {
  /** Index of the pair that ends the best selection of each length, and of its predecessor. */
  const ends: number[] = [];
  const previous = new Int32Array(pairs.length).fill(-1);
  const rightOf = (index: number | undefined): number => pairs[index ?? -1]?.[1] ?? -1;
  for (const [index, [, right]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (rightOf(ends[middle]) < right) low = middle + 1;
      else high = middle;
    }
    previous[index] = ends[low - 1] ?? -1;
    ends[low] = index;
  }
  const chosen: Anchor[] = [];
  for (let index = ends.at(-1) ?? -1; index !== -1; index = previous[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) chosen.push(pair);
  }
  return chosen.reverse();
}

/** Adds the rows of a part. The offsets are the indexes of its first lines. */
function addPart(
  rows: AlignedRow[],
  left: readonly string[],
  right: readonly string[],
  leftOffset: number,
  rightOffset: number,
): void {
  let [atLeft, atRight] = [leftOffset, rightOffset];
  let [removed, added] = [0, 0];
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed, added); at++) {
      if (at >= added) rows.push({ kind: 'removed', left: atLeft++, right: null });
      else if (at >= removed) rows.push({ kind: 'added', left: null, right: atRight++ });
      else rows.push({ kind: 'changed', left: atLeft++, right: atRight++ });
    }
    [removed, added] = [0, 0];
  };
  for (const { kind } of diffSequences(left, right)) {
    if (kind === 'removed') removed++;
    else if (kind === 'added') added++;
    else {
      flush();
      rows.push({ kind: 'same', left: atLeft++, right: atRight++ });
    }
  }
  flush();
}
