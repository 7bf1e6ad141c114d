import { BinaryHeap } from './binary-heap.ts';

/**
 * Timers of actors: a binary heap by due time, then by the order in which they were set. A timer that was canceled or
 * replaced stays in the heap as a husk until it comes up.
 */
export interface Timer<Payload> {
  readonly key: string;
  readonly dueAt: number;
  readonly payload: Payload;
}

interface Entry<Payload> extends Timer<Payload> {
  readonly order: number;
}

export class TimerHeap<Payload> {
  private readonly heap = new BinaryHeap<Entry<Payload>>(
    (a, b) => a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order),
  );
  private readonly current = new Map<string, Entry<Payload>>();
  private nextOrder = 0;

  /** Sets the timer `key`, in place of the one that had the key. */
  set(key: string, dueAt: number, payload: Payload): void {
    const entry = { key, dueAt, payload, order: this.nextOrder++ };
    this.current.set(key, entry);
    this.heap.push(entry);
  }

  cancel(key: string): void {
    this.current.delete(key);
  }

  /** When the next timer is due, or null when none is set. */
  nextDueAt(): number | null {
    this.dropHusks();
    return this.heap.first()?.dueAt ?? null;
  }

  /** Takes the next timer that is due at `now`, or null. */
  takeDue(now: number): Timer<Payload> | null {
    this.dropHusks();
    const top = this.heap.first();
    if (top === undefined || top.dueAt > now) return null;
    this.heap.takeFirst();
    this.current.delete(top.key);
    return top;
  }

  private dropHusks(): void {
    for (
      let top = this.heap.first();
      top !== undefined && this.current.get(top.key) !== top;
      top = this.heap.first()
    ) {
      this.heap.takeFirst();
    }
  }
}
