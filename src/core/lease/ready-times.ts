/**
 * Invariants: `others` has exactly the ready tasks whose time is not `base`; each of them has an entry in `oldest`, which
 * may also have outdated ones. Exits: `forget` and `clear`.
 */

import { BinaryHeap } from '../binary-heap.ts';
import type { TaskRange } from './task-ranges.ts';

interface TimedTask {
  readonly since: number;
  readonly index: number;
}

/** Number of outdated entries that are kept regardless of the number of tasks. */
const OUTDATED_MAX = 64;

const newHeap = (): BinaryHeap<TimedTask> =>
  new BinaryHeap((a, b) => a.since < b.since || (a.since === b.since && a.index < b.index));

/**
 * Since when the ready tasks of a step are ready. Most became ready together, at `base`: only the others are kept one by
 * one. The answer follows from the ready tasks alone, in whatever order they became ready.
 */
export class ReadyTimes {
  #base = 0;
  readonly #others = new Map<number, number>();
  #oldest = newHeap();

  /** Adds tasks that became ready at this time (milliseconds since the epoch). `ready`: the number of ready tasks before. */
  add({ start, count }: TaskRange, since: number, ready: number): void {
    if (ready === this.#others.size) this.#base = since;
    const isBase = since === this.#base;
    if (isBase && this.#others.size === 0) return;
    for (let index = start; index < start + count; index++) {
      if (isBase) this.#others.delete(index);
      else {
        this.#others.set(index, since);
        this.#oldest.push({ since, index });
      }
    }
    this.#dropOutdated();
  }

  /** Removes tasks that are no longer ready. */
  forget({ start, count }: TaskRange): void {
    if (this.#others.size === 0) return;
    for (let index = start; index < start + count; index++) this.#others.delete(index);
  }

  clear(): void {
    this.#others.clear();
    this.#oldest = newHeap();
  }

  /** Returns the time of the oldest ready task; Infinity for none. `ready`: the number of ready tasks. */
  since(ready: number): number {
    let first = this.#oldest.first();
    while (first !== undefined && this.#others.get(first.index) !== first.since) {
      this.#oldest.takeFirst();
      first = this.#oldest.first();
    }
    return Math.min(ready > this.#others.size ? this.#base : Infinity, first?.since ?? Infinity);
  }

  #dropOutdated(): void {
    if (this.#oldest.size <= 2 * this.#others.size + OUTDATED_MAX) return;
    this.#oldest = newHeap();
    for (const [index, since] of this.#others) this.#oldest.push({ since, index });
  }
}
