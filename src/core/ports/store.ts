import type { ChangeSet } from '../records/change-set.ts';
import type { TableName, Tables } from '../records/tables.ts';

export interface ScanOptions {
  /** Only keys that begin with this. */
  readonly prefix?: string;
  /** Only keys after this one (before it when `reverse`). */
  readonly after?: string;
  readonly reverse?: boolean;
  readonly limit?: number;
}

export interface Row<T extends TableName> {
  readonly key: string;
  readonly value: Tables[T];
}

/** Reads committed state, synchronously. Values are the reader's own: to be treated as read-only. */
export interface StoreReader {
  get<T extends TableName>(table: T, key: string): Tables[T] | undefined;
  /** Rows in the order of their keys. The iteration must be finished in the same turn of the event loop. */
  scan<T extends TableName>(table: T, options?: ScanOptions): Iterable<Row<T>>;
}

/** Writes change sets. There is no failure to handle: a store that cannot commit ends the process (reliability.md, D3). */
export interface StoreWriter {
  /** Calls back once the set is on disk. Sets of one shard are committed in the order of the calls. */
  commit(set: ChangeSet, onDurable: () => void): void;
}
