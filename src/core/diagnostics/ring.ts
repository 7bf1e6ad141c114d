import type { DiagnosticRecord } from './record.ts';

interface Kept {
  readonly record: DiagnosticRecord;
  readonly length: number;
}

/** The last records of one component. */
export class Ring {
  private readonly size: number;
  private readonly kept: Kept[] = [];
  /** Where the next record goes, once the ring is full: the place of the oldest. */
  private oldest = 0;
  /** Characters of all records that are kept. */
  textLength = 0;

  constructor(size: number) {
    this.size = size;
  }

  /** Keeps a record of this many characters; by how many the ring holds more than before. */
  push(record: DiagnosticRecord, length: number): number {
    const kept = { record, length };
    let change = length;
    if (this.kept.length < this.size) {
      this.kept.push(kept);
    } else {
      change -= this.kept[this.oldest]?.length ?? 0;
      this.kept[this.oldest] = kept;
      this.oldest = (this.oldest + 1) % this.size;
    }
    this.textLength += change;
    return change;
  }

  last(): DiagnosticRecord | null {
    for (const record of this.newestFirst()) return record;
    return null;
  }

  *newestFirst(): Generator<DiagnosticRecord> {
    const { length } = this.kept;
    for (let back = 1; back <= length; back++) {
      const kept = this.kept[(this.oldest + length - back) % length];
      if (kept !== undefined) yield kept.record;
    }
  }
}
