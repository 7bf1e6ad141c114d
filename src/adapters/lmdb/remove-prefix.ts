import type { ByteDatabase } from './environment.ts';
import { endOfPrefix } from './key-bytes.ts';

/** Number of keys collected before they are removed: a cursor never moves over rows that are being removed. */
const KEYS_AT_ONCE = 1000;

/**
 * Removes up to `limit` rows whose key begins with the prefix; must be called in a transaction. Returns the number of
 * removed rows: fewer than `limit` means that none is left.
 */
export function removePrefixRows(database: ByteDatabase, prefix: Uint8Array, limit: number): number {
  const end = endOfPrefix(prefix);
  let removed = 0;
  while (removed < limit) {
    const wanted = Math.min(KEYS_AT_ONCE, limit - removed);
    const keys = [...database.getKeys({ start: prefix, end, limit: wanted })];
    for (const key of keys) database.removeSync(key);
    removed += keys.length;
    if (keys.length < wanted) break;
  }
  return removed;
}
