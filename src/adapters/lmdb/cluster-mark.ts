import { existsSync, statSync } from 'node:fs';
import type { AppliedMark } from '../../core/ports/journal.ts';
import { TABLE_NAMES } from '../../core/records/tables.ts';
import { rowCounts } from './environment-copy.ts';
import { openDatabase, type Environment } from './environment.ts';
import { dataFileOf, openExistingStore, takeInJournal } from './existing-store.ts';
import {
  CLUSTER_MARK_KEY,
  META_DATABASE,
  putAppliedMark,
  readAppliedMark,
  type StoreFormat,
} from './store-format.ts';

/** A state store that no process has open, as a node of a cluster sees it before it opens it. */
export interface StoreForCluster {
  /** Its mark; null without one. */
  readonly storedMark: string | null;
  /** No table has a row. */
  readonly isEmpty: boolean;
  readonly bytes: number;
}

/**
 * Returns the mark of the state store in this directory, which no service has open: the log of its cluster and the last record
 * that its tables contain. Null if it is the store of a single node.
 *
 * @throws StoreOpenError if there is no store, or it cannot be read.
 */
export const readClusterMark = (directory: string): Promise<string | null> => withState(directory, markOf);

/** Describes such a store. A directory without a store has an empty one. Throws `StoreOpenError` if it cannot be read. */
export async function storeForCluster(directory: string): Promise<StoreForCluster> {
  if (!existsSync(dataFileOf(directory))) return { storedMark: null, isEmpty: true, bytes: 0 };
  return withState(directory, (environment) => {
    const counts = rowCounts(environment);
    return {
      storedMark: markOf(environment),
      isEmpty: TABLE_NAMES.every((name) => (counts.get(name) ?? 0) === 0),
      bytes: statSync(dataFileOf(directory)).size,
    };
  });
}

/** Replaces the mark of such a store. The transaction is flushed. Throws as `readClusterMark`. */
export const writeClusterMark = (directory: string, mark: AppliedMark): Promise<void> =>
  withState(directory, (environment) => {
    const meta = openDatabase(environment, META_DATABASE);
    environment.transactionSync(() => putAppliedMark(meta, mark));
  });

/** Stores what the journal of a single node holds in the tables of such a store. Throws as `readClusterMark`. */
export const settleJournal = (directory: string): Promise<void> =>
  withState(directory, (environment, format) => takeInJournal(environment, directory, format));

const markOf = (environment: Environment): string | null =>
  readAppliedMark(openDatabase(environment, META_DATABASE), CLUSTER_MARK_KEY);

async function withState<T>(
  directory: string,
  use: (environment: Environment, format: StoreFormat) => T,
): Promise<T> {
  const { environment, format } = await openExistingStore(directory, 'state');
  try {
    return use(environment, format);
  } finally {
    await environment.close();
  }
}
