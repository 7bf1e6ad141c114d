/**
 * States of an entry: current, husk (canceled or replaced), removed. Invariants: every current entry is in the heap;
 * one per key. Exits: `takeDue` removes current entries; husks are dropped at the top, or by a rebuild.
 */

import { BinaryHeap } from '../../src/core/binary-heap.ts';

/**
 * A timer of an actor. The heap orders timers by due time, then by the order in which they were set. A canceled or
 * replaced timer stays in the heap as a husk until it reaches the top, or until most entries are husks.
 */
export interface Timer<Payload> {
  readonly key: string;
  readonly dueAt: number;
  readonly payload: Payload;
}

interface Entry<Payload> extends Timer<Payload> {
  readonly order: number;
}

/** The heap is rebuilt only with more husks than this. */
const HUSKS_MIN = 1024;

const comesFirst = (a: Entry<unknown>, b: Entry<unknown>): boolean =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);

export class TimerHeap<Payload> {
  private heap = new BinaryHeap<Entry<Payload>>(comesFirst);
  private readonly current = new Map<string, Entry<Payload>>();
  private nextOrder = 0;

  /** Sets the timer `key`. Replaces an earlier timer with the same key. */
  set(key: string, dueAt: number, payload: Payload): void {
    const entry = { key, dueAt, payload, order: this.nextOrder++ };
    this.current.set(key, entry);
    this.heap.push(entry);
    if (this.heap.size > 2 * this.current.size + HUSKS_MIN) this.rebuild();
  }

  /** Number of entries, husks included. */
  get size(): number {
    return this.heap.size;
  }

  cancel(key: string): void {
    this.current.delete(key);
  }

  /** Returns the due time of the next timer, or null if none is set. */
  nextDueAt(): number | null {
    this.dropLeadingHusks();
    return this.heap.first()?.dueAt ?? null;
  }

  /** Removes and returns the next timer that is due at `now`, or null. */
  takeDue(now: number): Timer<Payload> | null {
    this.dropLeadingHusks();
    const top = this.heap.first();
    if (top === undefined || top.dueAt > now) return null;
    this.heap.takeFirst();
    this.current.delete(top.key);
    return top;
  }

  private rebuild(): void {
    this.heap = new BinaryHeap<Entry<Payload>>(comesFirst);
    for (const entry of this.current.values()) this.heap.push(entry);
  }

  private dropLeadingHusks(): void {
    for (
      let top = this.heap.first();
      top !== undefined && this.current.get(top.key) !== top;
      top = this.heap.first()
    ) {
      this.heap.takeFirst();
    }
  }
}
