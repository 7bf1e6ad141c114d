import { BinaryHeap } from '../../src/core/binary-heap.ts';

/**
 * Virtual time: what is to happen, by when it is due. Nothing passes by itself; `step` goes to the next event. Events
 * that are due at the same moment happen in an order that `tieBreak` draws.
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

  /** Milliseconds since the beginning. */
  get now(): number {
    return this.current;
  }

  /** Lets the action happen after a delay in milliseconds; the returned function calls it off. */
  after(delayMs: number, action: () => void): () => void {
    const dueAt = this.current + Math.max(0, delayMs);
    const event: Event = { dueAt, tie: this.tieBreak(), order: this.nextOrder++, action };
    this.heap.push(event);
    return () => {
      event.action = null;
    };
  }

  /** Goes to the next event and lets it happen. False when nothing is to happen any more. */
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
