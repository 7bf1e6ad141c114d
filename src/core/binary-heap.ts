/**
 * A binary heap: the first entry is the one that comes before all others. `comesFirst` must be a strict total order.
 */
export class BinaryHeap<Entry> {
  private readonly entries: Entry[] = [];
  private readonly comesFirst: (a: Entry, b: Entry) => boolean;

  constructor(comesFirst: (a: Entry, b: Entry) => boolean) {
    this.comesFirst = comesFirst;
  }

  get size(): number {
    return this.entries.length;
  }

  first(): Entry | undefined {
    return this.entries[0];
  }

  push(entry: Entry): void {
    this.entries.push(entry);
    let at = this.entries.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.swapIfFirst(at, parent)) return;
      at = parent;
    }
  }

  takeFirst(): Entry | undefined {
    const first = this.entries[0];
    const last = this.entries.pop();
    if (last !== undefined && this.entries.length > 0) {
      this.entries[0] = last;
      this.siftDown();
    }
    return first;
  }

  private siftDown(): void {
    let at = 0;
    for (;;) {
      const left = this.entries[2 * at + 1];
      const right = this.entries[2 * at + 2];
      if (left === undefined) return;
      const child = right !== undefined && this.comesFirst(right, left) ? 2 * at + 2 : 2 * at + 1;
      if (!this.swapIfFirst(child, at)) return;
      at = child;
    }
  }

  /** Swaps the entries when the one at `child` comes before the one at `parent`. */
  private swapIfFirst(child: number, parent: number): boolean {
    const childEntry = this.entries[child];
    const parentEntry = this.entries[parent];
    if (childEntry === undefined || parentEntry === undefined) return false;
    if (!this.comesFirst(childEntry, parentEntry)) return false;
    this.entries[child] = parentEntry;
    this.entries[parent] = childEntry;
    return true;
  }
}
