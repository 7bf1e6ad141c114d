import type { DiagnosticRecord } from './record.ts';

interface Kept {
  readonly record: DiagnosticRecord;
  readonly length: number;
}

/** Places of dropped records are given back when there are as many as kept ones, and at least so many. */
const DROPPED_MIN = 64;

/** The last records of one component. */
export class Ring {
  private readonly size: number;
  /** The oldest first; undefined before `oldest`. */
  private readonly kept: (Kept | undefined)[] = [];
  /** Where the oldest record is. */
  private oldest = 0;
  /** Characters of all records that are kept. */
  textLength = 0;

  constructor(size: number) {
    this.size = size;
  }

  /** Keeps a record of this many characters; by how many the ring holds more than before. */
  push(record: DiagnosticRecord, length: number): number {
    this.kept.push({ record, length });
    this.textLength += length;
    return this.kept.length - this.oldest > this.size ? length - this.dropOldest() : length;
  }

  /** Drops the oldest record, if there is one; by how many characters the ring holds less than before. */
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
