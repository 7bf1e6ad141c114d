import { partitionPoint } from '../../primitives/partition-point.ts';
/** Finds the group that contains the item at a position, for several groups in sequence. */
export class PrefixSums {
  /** Number of items before each group. */
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

  /** Returns the number of items before a group. */
  before(group: number): number {
    return this.#before[group] ?? this.total;
  }

  /** Returns the group that contains the item at a position. */
  find(position: number): number {
    return partitionPoint(this.#before.length, (at) => (this.#before[at] ?? 0) <= position) - 1;
  }
}
