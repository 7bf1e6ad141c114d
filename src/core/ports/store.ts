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

/** Reads committed state, synchronously. Values belong to the reader and must not be changed. */
export interface StoreReader {
  get<T extends TableName>(table: T, key: string): Tables[T] | undefined;
  /** Rows in the order of their keys. The iteration must be finished in the same turn of the event loop. */
  scan<T extends TableName>(table: T, options?: ScanOptions): Iterable<Row<T>>;
}

/** Notifications about a set of changes (docs/decisions/journal.md). Called in the order of the commits, each once. */
export interface CommitCallbacks {
  /** The set is on disk and survives a crash. */
  readonly onDurable: () => void;
  /** All later reads of the store find it. Never before it is durable. */
  readonly onReadable: () => void;
}

/**
 * Writes change sets. There is no failure to handle: a store that cannot commit exits the process
 * (docs/dependency-hazards.md#d3-failed-commits).
 */
export interface StoreWriter {
  /** Writes the set and calls back. Sets of one shard are committed in the order of the calls. */
  commit(set: ChangeSet, onCommit: CommitCallbacks): void;
}

/** The stores of the service, each in a directory of its own: `state` and the task `logs`. */
export type EnvironmentKind = 'state' | 'logs';
