/** Counts of a histogram: by bucket, from the lowest, and the sum of all values. */
export interface BucketCounts {
  /** One more than there are bounds: the last counts values above all of them. */
  readonly counts: readonly number[];
  readonly sum: number;
}

/**
 * A histogram by upper bounds. The counts of one thread are taken and added to those of another, so that a single value
 * costs no message.
 */
export class Buckets {
  /** Upper bounds, inclusive, ascending. */
  readonly bounds: readonly number[];
  private counts: number[];
  private sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = emptyCounts(bounds);
  }

  observe(value: number): void {
    const found = this.bounds.findIndex((bound) => value <= bound);
    const bucket = found < 0 ? this.bounds.length : found;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += value;
  }

  /** Returns and resets the counts. */
  take(): BucketCounts {
    const taken = { counts: this.counts, sum: this.sum };
    this.counts = emptyCounts(this.bounds);
    this.sum = 0;
    return taken;
  }

  /** Adds the counts of a histogram with the same bounds. */
  add({ counts, sum }: BucketCounts): void {
    for (const [bucket, count] of counts.entries()) this.counts[bucket] = (this.counts[bucket] ?? 0) + count;
    this.sum += sum;
  }

  /** Returns for each bound how many values are not above it, and the number and sum of all values. */
  cumulative(): { readonly upTo: readonly number[]; readonly count: number; readonly sum: number } {
    let count = 0;
    const all = this.counts.map((each) => (count += each));
    return { upTo: all.slice(0, this.bounds.length), count, sum: this.sum };
  }
}

const emptyCounts = (bounds: readonly number[]): number[] => Array<number>(bounds.length + 1).fill(0);

/** Seconds, from one millisecond under normal load to minutes under overload. */
export const SECONDS_BOUNDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
] as const;
