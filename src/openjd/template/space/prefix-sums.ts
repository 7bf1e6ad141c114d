import { partitionPoint } from '../../primitives/partition-point.ts';
/** Finds which of several groups holds the item at a position when the groups stand one behind the other. */
export class PrefixSums {
  /** Items before each group. */
  readonly #before: number[] = [];
  readonly total: number;

  constructor(counts: readonly number[]) {
    let sum = 0;
    for (const count of counts) {
      this.#before.push(sum);
      sum += count;
    }
    this.total = sum;
  }

  /** The number of items before a group. */
  before(group: number): number {
    return this.#before[group] ?? this.total;
  }

  /** The group that holds the item at a position. */
  find(position: number): number {
    return partitionPoint(this.#before.length, (at) => (this.#before[at] ?? 0) <= position) - 1;
  }
}
