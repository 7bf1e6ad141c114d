/**
 * States of an event: scheduled, canceled (its action is null), run. Invariants: time never goes back; events run in
 * the order of their times, then of their ties. Exits: `step` runs or skips an event.
 */

import { BinaryHeap } from '../../src/core/binary-heap.ts';

/**
 * An action at a virtual time. Time passes only in `step`, which jumps to the next event. `tieBreak` draws the order of
 * events that are due at the same time.
 */
interface Event {
  readonly dueAt: number;
  readonly tie: number;
  readonly order: number;
  action: (() => void) | null;
}

function comesFirst(a: Event, b: Event): boolean {
  if (a.dueAt !== b.dueAt) return a.dueAt < b.dueAt;
  return a.tie !== b.tie ? a.tie < b.tie : a.order < b.order;
}

export class VirtualTime {
  private readonly heap = new BinaryHeap<Event>(comesFirst);
  private readonly tieBreak: () => number;
  private current = 0;
  private nextOrder = 0;

  constructor(tieBreak: () => number) {
    this.tieBreak = tieBreak;
  }

  /** Milliseconds since the start. */
  get now(): number {
    return this.current;
  }

  /** Schedules the action after a delay in milliseconds. The returned function cancels it. */
  after(delayMs: number, action: () => void): () => void {
    const dueAt = this.current + Math.max(0, delayMs);
    const event: Event = { dueAt, tie: this.tieBreak(), order: this.nextOrder++, action };
    this.heap.push(event);
    return () => {
      event.action = null;
    };
  }

  /** Advances to the next event and runs it. Returns false if no event is left. */
  step(): boolean {
    for (let event = this.heap.takeFirst(); event !== undefined; event = this.heap.takeFirst()) {
      const { action } = event;
      if (action === null) continue;
      event.action = null;
      this.current = event.dueAt;
      action();
      return true;
    }
    return false;
  }
}
