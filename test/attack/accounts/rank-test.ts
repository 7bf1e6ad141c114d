/** Two-sided quantile of the normal distribution for p = 0.01. */
const Z_MAX = 2.5758;

/** Returns the median of numbers; NaN if there are none. */
export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/**
 * Reports whether two samples could have the same distribution: p > 0.01 in the two-sided test of Mann and Whitney, with
 * the normal approximation and mean ranks for equal values.
 */
export function isSameDistribution(left: readonly number[], right: readonly number[]): boolean {
  const all = [
    ...left.map((value) => ({ value, isLeft: true })),
    ...right.map((value) => ({ value, isLeft: false })),
  ].sort((a, b) => a.value - b.value);
  let rankSum = 0;
  for (let from = 0; from < all.length;) {
    let to = from;
    while (to < all.length && all[to]?.value === all[from]?.value) to++;
    const rank = (from + 1 + to) / 2;
    for (const { isLeft } of all.slice(from, to)) if (isLeft) rankSum += rank;
    from = to;
  }
  const [n, m] = [left.length, right.length];
  const u = rankSum - (n * (n + 1)) / 2;
  const mean = (n * m) / 2;
  const deviation = Math.sqrt((n * m * (n + m + 1)) / 12);
  return Math.abs(u - mean) <= Z_MAX * deviation;
}
