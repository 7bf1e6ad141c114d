import type { ScanOptions } from '../../core/ports/store.ts';
import type { ByteDatabase } from './environment.ts';
import { endOfPrefix, keyBytes, MAX_KEY_BYTES } from './key-bytes.ts';

/** A row as it is stored; the value is a copy. */
interface ByteRow {
  readonly key: string;
  readonly value: Uint8Array;
}

/**
 * Yields rows in the order of their keys (their UTF-8 bytes). Holds a read transaction until it ends: finish it in the
 * same turn.
 */
export function* scanRows(
  database: ByteDatabase,
  options: ScanOptions = {},
): Generator<ByteRow, void, undefined> {
  const { prefix = '', after, reverse = false, limit = Infinity } = options;
  const isNothingBefore = reverse && after === '';
  if (limit <= 0 || isNothingBefore) return;
  let count = 0;
  for (const { key: bytes, value } of database.getRange(rangeOf(prefix, after, reverse))) {
    const key = Buffer.from(bytes).toString('utf8');
    if (key === after) continue;
    if (!key.startsWith(prefix)) return;
    yield { key, value };
    if (++count >= limit) return;
  }
}

/** Returns the start in LMDB's form: the first key at or above `start`, or at or below it for reverse. */
function rangeOf(
  prefix: string,
  after: string | undefined,
  reverse: boolean,
): { start?: Buffer; reverse: boolean } {
  const first = reverse ? lastStart(prefix, after) : firstStart(prefix, after);
  // Keys cannot be longer, so cutting a bound to the maximum changes nothing.
  return first === undefined ? { reverse } : { start: first.subarray(0, MAX_KEY_BYTES), reverse };
}

function firstStart(prefix: string, after: string | undefined): Buffer | undefined {
  const start = keyBytes(prefix);
  const bound = keyBytes(after ?? '');
  const later = bound.compare(start) > 0 ? bound : start;
  return later.length > 0 ? later : undefined;
}

function lastStart(prefix: string, after: string | undefined): Buffer | undefined {
  const end = endOfPrefix(keyBytes(prefix));
  const bound = after === undefined ? end : keyBytes(after);
  return bound.compare(end) < 0 ? bound : end;
}
