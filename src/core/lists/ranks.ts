/** Buckets of one pass: each value of a range falls in one of so many parts of it. */
const BUCKETS = 4096;
/** So many values are sorted at once. */
const SORTED_MAX = 8192;

/** The value that stands at `rank`, from 0, when the values are put in ascending order; undefined beyond the last. */
export function valueAtRank(values: Float64Array, rank: number): number | undefined {
  let left = values;
  let rest = rank;
  while (left.length > SORTED_MAX) {
    const { low, high } = boundsOf(left);
    if (low === high) return rest < left.length ? low : undefined;
    const scale = (BUCKETS - 1) / (high - low);
    const counts = new Uint32Array(BUCKETS);
    for (const value of left) {
      const bucket = ((value - low) * scale) | 0;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
    let wanted = 0;
    while (wanted < BUCKETS && rest >= (counts[wanted] ?? 0)) {
      rest -= counts[wanted] ?? 0;
      wanted += 1;
    }
    if (wanted === BUCKETS) return undefined;
    left = valuesOf(left, counts[wanted] ?? 0, (value) => (((value - low) * scale) | 0) === wanted);
  }
  return left.toSorted()[rest];
}

function boundsOf(values: Float64Array): { readonly low: number; readonly high: number } {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high };
}

function valuesOf(values: Float64Array, count: number, isWanted: (value: number) => boolean): Float64Array {
  const found = new Float64Array(count);
  let at = 0;
  for (const value of values) {
    if (!isWanted(value)) continue;
    found[at] = value;
    at += 1;
  }
  return found;
}

/**
 * The positions of the values that come at `offset` and after it, `limit` at the most, when the values are put in
 * ascending or descending order. Equal values come in the order of their positions, in both.
 */
export function positionsAt(
  values: Float64Array,
  { offset, limit, descending }: { readonly offset: number; readonly limit: number; readonly descending: boolean },
): readonly number[] {
  const count = values.length;
  const end = Math.min(offset + limit, count);
  if (offset >= end) return [];
  const atRank = (rank: number): number => valueAtRank(values, descending ? count - 1 - rank : rank) ?? 0;
  const first = atRank(offset);
  const last = atRank(end - 1);
  const isBefore = (left: number, right: number): boolean => (descending ? left > right : left < right);
  let before = 0;
  let same = 0;
  for (const value of values) {
    if (isBefore(value, first)) before += 1;
    else if (value === first) same += 1;
  }
  let firstToSkip = offset - before;
  let firstToTake = Math.min(before + same, end) - offset;
  const between: number[] = [];
  const lasts: number[] = [];
  const firsts: number[] = [];
  for (let position = 0; position < count; position += 1) {
    const value = values[position] ?? 0;
    if (value === first) {
      if (firstToSkip > 0) firstToSkip -= 1;
      else if (firstToTake > 0) {
        firstToTake -= 1;
        firsts.push(position);
      }
    } else if (value === last) {
      if (lasts.length < limit) lasts.push(position);
    } else if (isBefore(first, value) && isBefore(value, last)) {
      between.push(position);
    }
  }
  const sign = descending ? -1 : 1;
  between.sort((left, right) => sign * ((values[left] ?? 0) - (values[right] ?? 0)) || left - right);
  return [...firsts, ...between, ...lasts].slice(0, end - offset);
}
