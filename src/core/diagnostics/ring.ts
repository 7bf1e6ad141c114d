/**
 * Invariants: at most `size` records, the oldest at index `oldest`; `textLength` is their sum. Exits: `push` to a full
 * ring and `dropOldest` drop the oldest record.
 */

import type { DiagnosticRecord } from './record.ts';

interface Kept {
  readonly record: DiagnosticRecord;
  readonly length: number;
}

/**
 * Minimum number of dropped records at which the array is compacted; there must also be as many dropped as kept ones.
 */
const DROPPED_MIN = 64;

/** The last records of one component. */
export class Ring {
  private readonly size: number;
  /** Oldest first; undefined before `oldest`. */
  private readonly kept: (Kept | undefined)[] = [];
  /** Index of the oldest record. */
  private oldest = 0;
  /** Number of characters of all kept records. */
  textLength = 0;

  constructor(size: number) {
    this.size = size;
  }

  /** Adds a record of `length` characters. Returns by how many characters the text of the ring has grown. */
  push(record: DiagnosticRecord, length: number): number {
    this.kept.push({ record, length });
    this.textLength += length;
    return this.kept.length - this.oldest > this.size ? length - this.dropOldest() : length;
  }

  /** Drops the oldest record, if there is one. Returns by how many characters the text of the ring has shrunk. */
  dropOldest(): number {
    const length = this.kept[this.oldest]?.length ?? 0;
    if (this.oldest < this.kept.length) this.kept[this.oldest++] = undefined;
    this.textLength -= length;
    if (this.oldest >= DROPPED_MIN && this.oldest * 2 >= this.kept.length) {
      this.kept.splice(0, this.oldest);
      this.oldest = 0;
    }
    return length;
  }

  last(): DiagnosticRecord | null {
    return this.kept.at(-1)?.record ?? null;
  }

  *newestFirst(): Generator<DiagnosticRecord> {
    for (let at = this.kept.length - 1; at >= this.oldest; at--) {
      const kept = this.kept[at];
      if (kept !== undefined) yield kept.record;
    }
  }
}
