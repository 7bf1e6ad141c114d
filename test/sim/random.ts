/**
 * A small seeded generator (splitmix32): the same seed produces the same numbers on every machine. All randomness of a
 * simulation comes from these generators.
 */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) | 0;
  }

  /** Returns a number from 0 to below 1. */
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

  /** Returns an integer, both bounds included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** Returns an integer from 0 with an exponential distribution: often far below the mean, sometimes far above it. */
  around(mean: number): number {
    return Math.floor(-Math.log(1 - this.next()) * mean);
  }

  /** Returns one of the items, of which there must be at least one. */
  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new RangeError('cannot pick from an empty list');
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
