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
  private readonly heap: Entry<Payload>[] = [];
  private readonly current = new Map<string, Entry<Payload>>();
  private nextOrder = 0;

  /** Sets the timer `key`, in place of the one that had the key. */
  set(key: string, dueAt: number, payload: Payload): void {
    const entry = { key, dueAt, payload, order: this.nextOrder++ };
    this.current.set(key, entry);
    this.heap.push(entry);
    this.siftUp(this.heap.length - 1);
  }

  cancel(key: string): void {
    this.current.delete(key);
  }

  /** When the next timer is due, or null when none is set. */
  nextDueAt(): number | null {
    this.dropHusks();
    return this.heap[0]?.dueAt ?? null;
  }

  /** Takes the next timer that is due at `now`, or null. */
  takeDue(now: number): Timer<Payload> | null {
    this.dropHusks();
    const top = this.heap[0];
    if (top === undefined || top.dueAt > now) return null;
    this.removeTop();
    this.current.delete(top.key);
    return top;
  }

  private dropHusks(): void {
    for (let top = this.heap[0]; top !== undefined && this.current.get(top.key) !== top; top = this.heap[0]) {
      this.removeTop();
    }
  }

  private removeTop(): void {
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) return;
    this.heap[0] = last;
    this.siftDown(0);
  }

  private comesFirst(a: Entry<Payload>, b: Entry<Payload>): boolean {
    return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);
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
      const leftEntry = this.heap[left];
      const rightEntry = this.heap[right];
      if (leftEntry === undefined) return;
      const child = rightEntry !== undefined && this.comesFirst(rightEntry, leftEntry) ? right : left;
      if (!this.swapIfFirst(child, at)) return;
      at = child;
    }
  }

  /** Swaps the entries when the one at `child` comes before the one at `parent`. */
  private swapIfFirst(child: number, parent: number): boolean {
    const childEntry = this.heap[child];
    const parentEntry = this.heap[parent];
    if (childEntry === undefined || parentEntry === undefined) return false;
    if (!this.comesFirst(childEntry, parentEntry)) return false;
    this.heap[child] = parentEntry;
    this.heap[parent] = childEntry;
    return true;
  }
}
