import type { CommitCallbacks, Row, ScanOptions, StoreReader, StoreWriter } from '../../core/ports/store.ts';
import type { ChangeSet } from '../../core/records/change-set.ts';
import { TABLE_NAMES, type TableName, type Tables } from '../../core/records/tables.ts';
import { encodeChangeSet, readChangeSet } from '../lmdb/change-set-codec.ts';
import { decodeValue } from '../lmdb/value-codec.ts';
import { createSortedRows, type SortedRows } from './sorted-rows.ts';

/**
 * The state store in memory, for simulation and dry runs. A set that is committed waits until the host flushes it, and then until the host makes it
 * readable. Sets and rows go through the store's encoding, so that nobody shares an object with the store.
 */
export interface MemoryStore extends StoreReader, StoreWriter {
  /** Sets that are committed and not flushed. */
  readonly waiting: number;
  /** Sets that are flushed and cannot be read yet. */
  readonly unread: number;
  /** What a crash would leave: with the sets that cannot be read yet. */
  readonly durable: StoreReader;
  /** Makes the oldest waiting set durable and tells its committer. False when none waits. */
  flushNext(): boolean;
  /** Makes all that is flushed readable and tells who has committed it. */
  readAll(): void;
  /** Flushes what waits now and makes it readable; what is committed meanwhile waits for the next call. */
  flushAll(): void;
  /** A crash of the process, and the next start: what was flushed can be read, the rest is gone. Nobody is told any more. */
  crash(): void;
}

interface Waiting {
  readonly encoded: ArrayBuffer;
  readonly onCommit: CommitCallbacks;
}

/** An empty store. */
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
    next.onCommit.durable();
    return true;
  };

  const readAll = (): void => {
    const sets = unread;
    unread = [];
    for (const { encoded } of sets) apply(tables, encoded);
    for (const { onCommit } of sets) onCommit.readable();
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
