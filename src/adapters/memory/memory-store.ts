import type { Row, ScanOptions, StoreReader, StoreWriter } from '../../core/ports/store.ts';
import type { ChangeSet } from '../../core/records/change-set.ts';
import { TABLE_NAMES, type TableName, type Tables } from '../../core/records/tables.ts';
import { encodeChangeSet, readChangeSet } from '../lmdb/change-set-codec.ts';
import { decodeValue } from '../lmdb/value-codec.ts';
import { createSortedRows, type SortedRows } from './sorted-rows.ts';

/**
 * The state store in memory, for simulation and dry runs. A set that is committed waits until the host flushes it: only then is it read, and told to be
 * durable. Sets and rows go through the store's encoding, so that nobody shares an object with the store.
 */
export interface MemoryStore extends StoreReader, StoreWriter {
  /** Sets that are committed and not flushed. */
  readonly waiting: number;
  /** Makes the oldest waiting set durable and tells its committer. False when none waits. */
  flushNext(): boolean;
  /** Flushes what waits now; what is committed meanwhile waits for the next call. */
  flushAll(): void;
  /** A crash of the process: what was not flushed is gone and its committers are never told. */
  crash(): void;
}

interface Waiting {
  readonly encoded: ArrayBuffer;
  readonly onDurable: () => void;
}

/** An empty store. */
export function createMemoryStore(): MemoryStore {
  const entries = TABLE_NAMES.map((name): [TableName, SortedRows] => [name, createSortedRows()]);
  const tables = Object.fromEntries(entries) as Record<TableName, SortedRows>;
  let waiting: Waiting[] = [];
  let lastSequences = new Map<number, number>();

  const flushNext = (): boolean => {
    const next = waiting.shift();
    if (next === undefined) return false;
    apply(tables, next.encoded);
    next.onDurable();
    return true;
  };

  return {
    get waiting() {
      return waiting.length;
    },
    get<T extends TableName>(table: T, key: string): Tables[T] | undefined {
      const bytes = tables[table].get(key);
      return bytes === undefined ? undefined : decodeValue(table, bytes);
    },
    *scan<T extends TableName>(table: T, options?: ScanOptions): Generator<Row<T>, void, undefined> {
      for (const [key, bytes] of tables[table].scan(options)) yield { key, value: decodeValue(table, bytes) };
    },
    commit(set: ChangeSet, onDurable: () => void): void {
      const last = lastSequences.get(set.shard);
      if (last !== undefined && set.sequence !== last + 1) {
        throw new Error(`shard ${set.shard} committed change set ${set.sequence} after ${last}`);
      }
      waiting.push({ encoded: encodeChangeSet(set), onDurable });
      lastSequences.set(set.shard, set.sequence);
    },
    flushNext,
    flushAll() {
      for (let left = waiting.length; left > 0; left--) flushNext();
    },
    crash() {
      waiting = [];
      lastSequences = new Map();
    },
  };
}

function apply(tables: Readonly<Record<TableName, SortedRows>>, encoded: ArrayBuffer): void {
  for (const { op, table, key, value } of readChangeSet(encoded).changes) {
    const text = Buffer.from(key).toString('utf8');
    switch (op) {
      case 'put':
        tables[table].put(text, value);
        break;
      case 'remove':
        tables[table].remove(text);
        break;
      case 'removePrefix':
        tables[table].removePrefix(text);
        break;
    }
  }
}
