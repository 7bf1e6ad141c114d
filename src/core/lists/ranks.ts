/** Number of parts into which one pass splits a range of values. */
const BUCKETS = 2 ** 16;
/** Maximum number of values that are sorted directly. */
const SORTED_MAX = 4096;

/** Selects up to `limit` positions of a sorted list, starting at `offset`. */
export interface RankWindow {
  readonly offset: number;
  readonly limit: number;
  readonly descending: boolean;
}

/** Values at some positions of a list. */
export interface ValueBlock {
  /** A lower and an upper bound of all values. */
  readonly low: number;
  readonly high: number;
  /** Number of values. */
  readonly count: number;
  /** Increments the count of the bucket of each value. */
  countInto(counts: Uint32Array, bucketOf: BucketOf): void;
  /** Appends the values in the buckets `from` to `to`, and their positions in ascending order, to `found`. */
  collect(found: FoundValues, bucketOf: BucketOf, from: number, to: number): void;
}

/** Maps a value to the bucket of its range, in the direction of the sort: `(value - start) * scale`, truncated. */
export interface BucketOf {
  readonly start: number;
  readonly scale: number;
}

export const bucketOfValue = ({ start, scale }: BucketOf, value: number): number =>
  ((value - start) * scale) | 0;

/** Values with their positions, ordered by position. */
export class FoundValues {
  readonly values: Float64Array;
  readonly positions: Uint32Array;
  #length = 0;

  constructor(count: number) {
    this.values = new Float64Array(count);
    this.positions = new Uint32Array(count);
  }

  add(value: number, position: number): void {
    this.values[this.#length] = value;
    this.positions[this.#length] = position;
    this.#length += 1;
  }
}

/**
 * Returns the positions that a full sort of all values would put at the places of the window.
 *
 * Does not sort all values: it counts them by range, and then examines only the ranges of the window. Equal values are
 * ordered by position in both directions. The blocks are ordered by position.
 */
export function positionsAt(blocks: readonly ValueBlock[], window: RankWindow): readonly number[] {
  const { offset, descending } = window;
  const held = blocks.filter((block) => block.count > 0);
  const total = held.reduce((sum, block) => sum + block.count, 0);
  const end = Math.min(offset + window.limit, total);
  if (offset >= end) return [];
  let low = Infinity;
  let high = -Infinity;
  for (const block of held) {
    low = Math.min(low, block.low);
    high = Math.max(high, block.high);
  }
  if (low === high) return positionsOf(held, offset, end);
  const width = (BUCKETS - 1) / (high - low);
  const bucketOf = descending ? { start: high, scale: -width } : { start: low, scale: width };
  const counts = new Uint32Array(BUCKETS);
  for (const block of held) {
    const first = bucketOfValue(bucketOf, block.low);
    if (first === bucketOfValue(bucketOf, block.high)) counts[first] = (counts[first] ?? 0) + block.count;
    else block.countInto(counts, bucketOf);
  }
  const found: number[] = [];
  for (const part of partsOf(counts, offset, end)) {
    const those = new FoundValues(part.count);
    for (const block of held) {
      const ends = [bucketOfValue(bucketOf, block.low), bucketOfValue(bucketOf, block.high)] as const;
      if (Math.max(...ends) < part.from || Math.min(...ends) > part.to) continue;
      block.collect(those, bucketOf, part.from, part.to);
    }
    const skipped = Math.max(0, offset - part.before);
    const limit = Math.min(end - part.before, part.count) - skipped;
    found.push(...pick(those, { offset: skipped, limit, descending }));
  }
  return found;
}

/** Returns the positions from the `offset`th on if all values are equal. */
function positionsOf(blocks: readonly ValueBlock[], offset: number, end: number): readonly number[] {
  const found: number[] = [];
  let before = 0;
  for (const block of blocks) {
    const first = Math.max(0, offset - before);
    const last = Math.min(block.count, end - before);
    if (first < last) {
      const all = new FoundValues(block.count);
      block.collect(all, { start: block.low, scale: 0 }, 0, 0);
      found.push(...all.positions.subarray(first, last));
    }
    before += block.count;
  }
  return found;
}

/** Selects the same window from collected values: sorts a small number, and splits a large one again. */
function pick({ values, positions }: FoundValues, window: RankWindow): readonly number[] {
  const { offset, limit, descending } = window;
  const areAllAsked = offset === 0 && limit >= values.length;
  if (areAllAsked || values.length <= SORTED_MAX) {
    const sign = descending ? -1 : 1;
    const places = Array.from(values, (_, place) => place);
    places.sort((left, right) => sign * ((values[left] ?? 0) - (values[right] ?? 0)) || left - right);
    return places.slice(offset, offset + limit).map((place) => positions[place] ?? 0);
  }
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return positionsAt([blockOf(values, positions, low, high)], window);
}

const blockOf = (values: Float64Array, positions: Uint32Array, low: number, high: number): ValueBlock => ({
  low,
  high,
  count: values.length,
  countInto(counts, bucketOf) {
    for (const value of values) {
      const bucket = bucketOfValue(bucketOf, value);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
  },
  collect(found, bucketOf, from, to) {
    for (let nth = 0; nth < values.length; nth += 1) {
      const value = values[nth] ?? 0;
      const bucket = bucketOfValue(bucketOf, value);
      if (bucket >= from && bucket <= to) found.add(value, positions[nth] ?? 0);
    }
  },
});

interface Part {
  /** First and last bucket of the part, both included. */
  readonly from: number;
  readonly to: number;
  /** Number of values in earlier buckets, and in this part. */
  readonly before: number;
  readonly count: number;
}

/**
 * Returns the parts that contain the ranks from `offset` to `end`. The first and the last bucket may hold many more
 * values and are parts of their own: each lacks the lowest or the highest value, so that every part is smaller than the
 * whole.
 */
function partsOf(counts: Uint32Array, offset: number, end: number): readonly Part[] {
  let from = 0;
  let before = 0;
  while (before + (counts[from] ?? 0) <= offset) {
    before += counts[from] ?? 0;
    from += 1;
  }
  let to = from;
  let upTo = before + (counts[from] ?? 0);
  while (upTo < end) {
    to += 1;
    upTo += counts[to] ?? 0;
  }
  if (to === from || upTo - before <= SORTED_MAX) return [{ from, to, before, count: upTo - before }];
  const parts: Part[] = [{ from, to: from, before, count: counts[from] ?? 0 }];
  const last = counts[to] ?? 0;
  const betweenBefore = before + (counts[from] ?? 0);
  const between = upTo - last - betweenBefore;
  if (between > 0) parts.push({ from: from + 1, to: to - 1, before: betweenBefore, count: between });
  parts.push({ from: to, to, before: upTo - last, count: last });
  return parts;
}
