/**
 * A small seeded generator (splitmix32): the same seed gives the same numbers on every machine. All chance of a
 * simulation comes from one of these.
 */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) | 0;
  }

  /** From 0, below 1. */
  next(): number {
    this.state = (this.state + 0x9e3779b9) | 0;
    let mixed = this.state ^ (this.state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4294967296;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number, both ends included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** Whole, at least 0, often far below the mean and now and then far above it. */
  around(mean: number): number {
    return Math.floor(-Math.log(1 - this.next()) * mean);
  }

  /** One of the items; there must be one. */
  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new RangeError('there is nothing to pick from');
    return item;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const result = [...items];
    for (let last = result.length - 1; last > 0; last--) {
      const at = this.between(0, last);
      const [one, other] = [result[last], result[at]];
      if (one === undefined || other === undefined) continue;
      result[last] = other;
      result[at] = one;
    }
    return result;
  }
}
