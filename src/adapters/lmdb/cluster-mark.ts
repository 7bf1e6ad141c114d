import type { AppliedMark } from '../../core/ports/journal.ts';
import { freeBytes } from '../system/disk-watermark.ts';
import { openDatabase, type Environment } from './environment.ts';
import { openExistingStore } from './existing-store.ts';
import { replayJournal } from './replay-journal.ts';
import { CLUSTER_MARK_KEY, META_DATABASE, putAppliedMark, readAppliedMark } from './store-format.ts';

/**
 * Returns the mark of the state store in this directory, which no service has open: the log of its cluster and the last record
 * that its tables contain. Null if it is the store of a single node.
 *
 * @throws StoreOpenError if there is no store, or it cannot be read.
 */
export const readClusterMark = (directory: string): Promise<string | null> =>
  withState(directory, (environment) =>
    readAppliedMark(openDatabase(environment, META_DATABASE), CLUSTER_MARK_KEY),
  );

/** Replaces the mark of such a store. The transaction is flushed. Throws as `readClusterMark`. */
export const writeClusterMark = (directory: string, mark: AppliedMark): Promise<void> =>
  withState(directory, (environment) => {
    const meta = openDatabase(environment, META_DATABASE);
    environment.transactionSync(() => putAppliedMark(meta, mark));
  });

/** Stores what the journal of a single node holds in the tables of such a store. Throws as `readClusterMark`. */
export const settleJournal = (directory: string): Promise<void> =>
  withState(directory, (environment, storeId) => {
    const hasRoom = (bytes: number): boolean => freeBytes(directory) > bytes;
    replayJournal({ environment, directory, storeId, hasRoom });
  });

async function withState<T>(
  directory: string,
  use: (environment: Environment, storeId: string) => T,
): Promise<T> {
  const { environment, format } = await openExistingStore(directory, 'state');
  try {
    return use(environment, format.storeId);
  } finally {
    await environment.close();
  }
}
