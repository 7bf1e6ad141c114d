import type { ByteDatabase } from './environment.ts';
import { endOfPrefix } from './key-bytes.ts';

/** Keys gathered before they are removed: a cursor is never moved over what is being removed. */
const KEYS_AT_ONCE = 1000;

/**
 * Removes rows whose key begins with the prefix, at most `limit`; inside a transaction. Gives how many were removed: when it is less
 * than `limit`, none is left.
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
