import type { EncodedChangeSet } from './change-set-codec.ts';

/** Pages that any transaction may write beside its rows: branches of every table, the free list. */
export const BASE_ROOM = 2 ** 20;
/** Pages that one change may touch: a leaf, and half of one that splits. */
export const ROOM_PER_CHANGE = 2 * 4096;

/** Bytes of pages that the sets may write, more rather than less. */
export function roomFor(sets: readonly Pick<EncodedChangeSet, 'changes'>[]): number {
  let room = BASE_ROOM;
  for (const { changes } of sets) {
    for (const { value } of changes) room += ROOM_PER_CHANGE + 2 * value.length;
  }
  return room;
}
