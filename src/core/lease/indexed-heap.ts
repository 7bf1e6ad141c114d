/**
 * Invariants: the entry at position p is `entries[p].position`; no entry comes before that at (p - 1) / 2. Exits:
 * `remove`.
 */

import { BinaryHeap } from '../binary-heap.ts';

/** An entry of one heap at a time. */
export interface HeapEntry {
  /** Position in the heap; set only by it. */
  position: number;
}

/**
 * A binary heap whose entries can be removed and moved in logarithmic time. `comesFirst` must be a strict total order,
 * which then alone determines all answers: not the order of insertion.
 */
export class IndexedHeap<Entry extends HeapEntry> {
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

  add(entry: Entry): void {
    entry.position = this.entries.length;
    this.entries.push(entry);
    this.moveUp(entry);
  }

  /** Removes an entry of the heap. */
  remove(entry: Entry): void {
    const last = this.entries.pop();
    if (last === undefined || last === entry) return;
    this.put(last, entry.position);
    this.update(last);
  }

  /** Restores the order after a change of one entry. */
  update(entry: Entry): void {
    this.moveUp(entry);
    this.moveDown(entry);
  }

  /** Yields the entries in order. The first ones are found without visiting all others. */
  *inOrder(): Generator<Entry, void, undefined> {
    const next = new BinaryHeap<Entry>(this.comesFirst);
    const [root] = this.entries;
    if (root !== undefined) next.push(root);
    for (let entry = next.takeFirst(); entry !== undefined; entry = next.takeFirst()) {
      yield entry;
      for (const child of [2 * entry.position + 1, 2 * entry.position + 2]) {
        const below = this.entries[child];
        if (below !== undefined) next.push(below);
      }
    }
  }

  private moveUp(entry: Entry): void {
    while (entry.position > 0) {
      const at = (entry.position - 1) >> 1;
      const parent = this.entries[at];
      if (parent === undefined || !this.comesFirst(entry, parent)) return;
      this.put(parent, entry.position);
      this.put(entry, at);
    }
  }

  private moveDown(entry: Entry): void {
    for (;;) {
      const at = 2 * entry.position + 1;
      const left = this.entries[at];
      if (left === undefined) return;
      const right = this.entries[at + 1];
      const child = right !== undefined && this.comesFirst(right, left) ? right : left;
      if (!this.comesFirst(child, entry)) return;
      const below = child.position;
      this.put(child, entry.position);
      this.put(entry, below);
    }
  }

  private put(entry: Entry, position: number): void {
    this.entries[position] = entry;
    entry.position = position;
  }
}
