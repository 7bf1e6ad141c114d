/**
 * States of a slot: noted (its position is unknown), inserted. Invariants: the inserted slots are in order; a slot is
 * noted at most once. Exits: an insertion drops noted slots that no longer hold a record.
 */

import { partitionPoint } from '../../openjd/primitives/partition-point.ts';
/** Maximum number of slots that wait for their insertion: inserting this many takes a few milliseconds. */
const NOTED_MAX = 4096;
const FIRST_CAPACITY = 1024;

/**
 * The slots of records in the order of one of their keys. New, removed and changed slots are first noted. They are
 * inserted together when the order is requested or enough of them are noted.
 */
export class SortedSlots {
  readonly #compare: (left: number, right: number) => number;
  readonly #isHeld: (slot: number) => boolean;
  #slots = new Uint32Array(FIRST_CAPACITY);
  #length = 0;
  #noted: number[] = [];
  #isNoted = new Uint8Array(FIRST_CAPACITY);

  /** `compare` is a total order over slots that hold a record; `isHeld` reports which slots do. */
  constructor(compare: (left: number, right: number) => number, isHeld: (slot: number) => boolean) {
    this.#compare = compare;
    this.#isHeld = isHeld;
  }

  /** Notes that the position of this slot may have changed. */
  note(slot: number): void {
    if (slot >= this.#isNoted.length) this.#isNoted = grown(this.#isNoted, slot);
    if (this.#isNoted[slot] === 1) return;
    this.#isNoted[slot] = 1;
    this.#noted.push(slot);
    if (this.#noted.length >= NOTED_MAX) this.#insertNoted();
  }

  /** Returns the slots in ascending order. Valid until the next call of `note`. */
  inOrder(): Uint32Array {
    if (this.#noted.length > 0) this.#insertNoted();
    return this.#slots.subarray(0, this.#length);
  }

  #insertNoted(): void {
    this.#dropNoted();
    const added = Uint32Array.from(this.#noted.filter((slot) => this.#isHeld(slot))).sort(this.#compare);
    for (const slot of this.#noted) this.#isNoted[slot] = 0;
    this.#noted = [];
    if (added.length === 0) return;
    let end = this.#length;
    this.#length += added.length;
    if (this.#length > this.#slots.length) this.#slots = grown(this.#slots, this.#length);
    for (let nth = added.length - 1; nth >= 0; nth -= 1) {
      const slot = added[nth] ?? 0;
      const at = this.#placeOf(slot, end);
      this.#slots.copyWithin(at + nth + 1, at, end);
      this.#slots[at + nth] = slot;
      end = at;
    }
  }

  #dropNoted(): void {
    const slots = this.#slots;
    const isNoted = this.#isNoted;
    let kept = 0;
    for (let at = 0; at < this.#length; at += 1) {
      const slot = slots[at] ?? 0;
      if (isNoted[slot] === 1) continue;
      slots[kept] = slot;
      kept += 1;
    }
    this.#length = kept;
  }

  /** Returns the position of a slot among the first `end`. */
  #placeOf(slot: number, end: number): number {
    return partitionPoint(end, (at) => this.#compare(this.#slots[at] ?? 0, slot) < 0);
  }
}

/** Returns a larger copy that includes the index `at`. */
export function grown<Column extends Uint8Array | Uint32Array | Float64Array>(
  column: Column,
  at: number,
): Column {
  const larger = new (column.constructor as new (length: number) => Column)(
    Math.max(at + 1, column.length * 2),
  );
  larger.set(column);
  return larger;
}
