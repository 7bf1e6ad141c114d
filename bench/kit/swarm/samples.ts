import { percentile } from '../results.ts';

const FIRST_ROOM = 65_536;

/** Latencies in milliseconds at chosen quantiles. */
export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

/** Numbers that are stored one by one, in one growing array. */
export class Samples {
  private values = new Float64Array(FIRST_ROOM);
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(value: number): void {
    if (this.count === this.values.length) {
      const larger = new Float64Array(2 * this.count);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.count++] = value;
  }

  clear(): void {
    this.count = 0;
  }

  /** Zeros if there are none. */
  latencies(): Latencies {
    const sorted = this.values.slice(0, this.count).sort();
    return {
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
      p999: percentile(sorted, 0.999),
    };
  }
}
