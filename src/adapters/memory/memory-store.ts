import type { CommitCallbacks, Row, ScanOptions, StoreReader, StoreWriter } from '../../core/ports/store.ts';
import type { ChangeSet } from '../../core/records/change-set.ts';
import { TABLE_NAMES, type TableName, type Tables } from '../../core/records/tables.ts';
import { encodeChangeSet, readChangeSet } from '../lmdb/change-set-codec.ts';
import { decodeValue } from '../lmdb/value-codec.ts';
import { createSortedRows, type SortedRows } from './sorted-rows.ts';

/**
 * The state store in memory, for simulation and dry runs. A committed set waits until the host flushes it, and then
 * until the host makes it readable. Sets and rows are encoded as in the store, so that no object is shared with it.
 */
export interface MemoryStore extends StoreReader, StoreWriter {
  /** Number of committed sets that are not flushed. */
  readonly waiting: number;
  /** Number of flushed sets that are not readable yet. */
  readonly unread: number;
  /** The state after a crash: includes the flushed sets that are not readable yet. */
  readonly durable: StoreReader;
  /** Makes the oldest waiting set durable and calls its committer. Returns false if none waits. */
  flushNext(): boolean;
  /** Makes all flushed sets readable and calls their committers. */
  readAll(): void;
  /** Flushes the waiting sets and makes them readable; sets committed meanwhile wait for the next call. */
  flushAll(): void;
  /**
   * Simulates a crash of the process and its next start: flushed sets are readable, all others are lost. No callbacks
   * follow.
   */
  crash(): void;
}

interface Waiting {
  readonly encoded: ArrayBuffer;
  readonly onCommit: CommitCallbacks;
}

/** Creates an empty store. */
export function createMemoryStore(): MemoryStore {
  const tables = newTables();
  const durableTables = newTables();
  let waiting: Waiting[] = [];
  let unread: Waiting[] = [];
  let lastSequences = new Map<number, number>();

  const flushNext = (): boolean => {
    const next = waiting.shift();
    if (next === undefined) return false;
    unread.push(next);
    apply(durableTables, next.encoded);
    next.onCommit.onDurable();
    return true;
  };

  const readAll = (): void => {
    const sets = unread;
    unread = [];
    for (const { encoded } of sets) apply(tables, encoded);
    for (const { onCommit } of sets) onCommit.onReadable();
  };

  return {
    get waiting() {
      return waiting.length;
    },
    get unread() {
      return unread.length;
    },
    ...readerOf(tables),
    durable: readerOf(durableTables),
    commit(set: ChangeSet, onCommit: CommitCallbacks): void {
      const last = lastSequences.get(set.shard);
      if (last !== undefined && set.sequence !== last + 1) {
        throw new Error(`shard ${set.shard} committed change set ${set.sequence} after ${last}`);
      }
      waiting.push({ encoded: encodeChangeSet(set), onCommit });
      lastSequences.set(set.shard, set.sequence);
    },
    flushNext,
    readAll,
    flushAll() {
      for (let left = waiting.length; left > 0; left--) {
        flushNext();
        readAll();
      }
    },
    crash() {
      for (const { encoded } of unread) apply(tables, encoded);
      unread = [];
      waiting = [];
      lastSequences = new Map();
    },
  };
}

type MemoryTables = Readonly<Record<TableName, SortedRows>>;

function newTables(): MemoryTables {
  const entries = TABLE_NAMES.map((name): [TableName, SortedRows] => [name, createSortedRows()]);
  return Object.fromEntries(entries) as Record<TableName, SortedRows>;
}

const readerOf = (tables: MemoryTables): StoreReader => ({
  get<T extends TableName>(table: T, key: string): Tables[T] | undefined {
    const bytes = tables[table].get(key);
    return bytes === undefined ? undefined : decodeValue(table, bytes);
  },
  *scan<T extends TableName>(table: T, options?: ScanOptions): Generator<Row<T>, void, undefined> {
    for (const [key, bytes] of tables[table].scan(options)) yield { key, value: decodeValue(table, bytes) };
  },
});

function apply(tables: MemoryTables, encoded: ArrayBuffer): void {
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
