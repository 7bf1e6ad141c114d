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

export class VirtualTime {
  private readonly heap: Event[] = [];
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
    this.siftUp(this.heap.length - 1);
    return () => {
      event.action = null;
    };
  }

  /** Goes to the next event and lets it happen. False when nothing is to happen any more. */
  step(): boolean {
    for (let event = this.takeFirst(); event !== null; event = this.takeFirst()) {
      const { action } = event;
      if (action === null) continue;
      event.action = null;
      this.current = event.dueAt;
      action();
      return true;
    }
    return false;
  }

  private takeFirst(): Event | null {
    const first = this.heap[0];
    const last = this.heap.pop();
    if (first === undefined || last === undefined) return null;
    if (this.heap.length > 0) {
      this.heap[0] = last;
      this.siftDown(0);
    }
    return first;
  }

  private siftUp(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.swapIfFirst(at, parent)) return;
      at = parent;
    }
  }

  private siftDown(from: number): void {
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      if (left >= this.heap.length) return;
      const child = right < this.heap.length && this.comesFirst(right, left) ? right : left;
      if (!this.swapIfFirst(child, at)) return;
      at = child;
    }
  }

  private comesFirst(one: number, other: number): boolean {
    const a = this.heap[one];
    const b = this.heap[other];
    if (a === undefined || b === undefined) return false;
    if (a.dueAt !== b.dueAt) return a.dueAt < b.dueAt;
    return a.tie !== b.tie ? a.tie < b.tie : a.order < b.order;
  }

  private swapIfFirst(child: number, parent: number): boolean {
    if (!this.comesFirst(child, parent)) return false;
    const a = this.heap[child];
    const b = this.heap[parent];
    if (a === undefined || b === undefined) return false;
    this.heap[child] = b;
    this.heap[parent] = a;
    return true;
  }
}
