import type { EncodedChangeSet } from './change-set-codec.ts';

/** Pages that any transaction may write in addition to its rows: branches of every table, the free list. */
export const TRANSACTION_OVERHEAD_BYTES = 2 ** 20;
/** Pages that one change may write: a leaf, and half of a split one. */
const BYTES_PER_CHANGE = 2 * 4096;

/** Returns an upper estimate of the bytes of pages that the sets may write. */
export function estimateWriteBytes(sets: readonly Pick<EncodedChangeSet, 'changes'>[]): number {
  let room = TRANSACTION_OVERHEAD_BYTES;
  for (const { changes } of sets) {
    for (const { value } of changes) room += BYTES_PER_CHANGE + 2 * value.length;
  }
  return room;
}
