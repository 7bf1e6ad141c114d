import type { LogMark, RecordKind } from './log-record.ts';
import type { EncodedRecord } from './record-codec.ts';

/** A record of this node with a place in the log, which the log does not have for certain. */
export interface Slot {
  readonly position: number;
  readonly epoch: number;
  readonly kind: RecordKind;
  /** The entries of which this is the last record. */
  readonly entries: readonly number[];
  readonly record: EncodedRecord;
  /** When the record was sent for the first time. Sending it again does not change this. */
  readonly sentMs: number;
}

/** Outcome of the first slots, whose records are in the log without a gap. */
export interface Settled {
  readonly slot: Slot;
  /** False if the record was found by reading the log. */
  readonly isAcknowledged: boolean;
}

/** Records in flight, in the order of their positions. Each send of a record is an append with a number of its own. */
export class AppendWindow {
  #slots: Slot[] = [];
  readonly #positionByAppend = new Map<number, number>();
  /** Positions whose record is known to be in the log. True if the log acknowledged it. */
  readonly #stored = new Map<number, boolean>();

  get size(): number {
    return this.#slots.length;
  }

  get slots(): readonly Slot[] {
    return this.#slots;
  }

  /** The mark of the last slot; null if there is none. */
  get mark(): LogMark | null {
    const last = this.#slots.at(-1);
    if (last === undefined) return null;
    return { position: last.position, digest: last.record.digest, epoch: last.epoch };
  }

  add(slot: Slot): void {
    this.#slots.push(slot);
  }

  sent(append: number, slot: Slot): void {
    this.#positionByAppend.set(append, slot.position);
  }

  /** Takes an append whose result has arrived. Returns its position, or null if its record is no longer in flight. */
  takeResult(append: number): number | null {
    const position = this.#positionByAppend.get(append);
    this.#positionByAppend.delete(append);
    return position ?? null;
  }

  /** Notes that the record at a position is in the log. */
  stored(position: number, isAcknowledged: boolean): void {
    this.#stored.set(position, isAcknowledged || this.#stored.get(position) === true);
  }

  isStored({ position }: Slot): boolean {
    return this.#stored.has(position);
  }

  /** Removes the first slots whose records are in the log, up to the first one whose outcome is open. */
  settle(): readonly Settled[] {
    const settled: Settled[] = [];
    for (let slot = this.#slots[0]; slot !== undefined; slot = this.#slots[0]) {
      const isAcknowledged = this.#stored.get(slot.position);
      if (isAcknowledged === undefined) break;
      settled.push({ slot, isAcknowledged });
      this.#slots.shift();
      this.#forget(slot.position);
    }
    return settled;
  }

  /** Forgets all records in flight. Results of their appends that arrive later have no effect. */
  clear(): void {
    this.#slots = [];
    this.#positionByAppend.clear();
    this.#stored.clear();
  }

  #forget(position: number): void {
    this.#stored.delete(position);
    for (const [append, at] of this.#positionByAppend)
      if (at === position) this.#positionByAppend.delete(append);
  }
}
