import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { appliedMarkRow, type StoredMark } from '../../src/adapters/cluster/applied-mark.ts';
import { settleJournal, writeClusterMark } from '../../src/adapters/lmdb/cluster-mark.ts';
import { assertStoreExists } from '../../src/adapters/lmdb/existing-store.ts';
import { reconcileRestored, type Reconciled } from '../../src/adapters/lmdb/restored-store.ts';
import { stopLeftServer } from '../../src/adapters/nats/managed-server.ts';
import { lockDirectory, type DirectoryLock } from '../../src/adapters/system/disk-lock.ts';
import { syncDirectory } from '../../src/adapters/system/sync-file.ts';
import { EMPTY_LOG } from '../../src/core/cluster/log-record.ts';
import type { EnvironmentKind } from '../../src/core/ports/store.ts';
import { assertRestoreComplete, restoreMarkerPath, storeDirectory } from './data-directory.ts';
import { storedMarkIn } from './stored-mark.ts';
import { writeLogOrder } from './log-order.ts';

const KINDS: readonly EnvironmentKind[] = ['state', 'logs'];
/** Store of the managed server of a cluster, below `data.dir`. */
const BUS_STORE = join('bus', 'cluster', 'store');
/**
 * Epochs of a new log begin so far above those of this node: another node may have begun some that this one does not know, and
 * workers ignore a lower epoch.
 */
const EPOCHS_APART = 1_000_000;

/**
 * Returns the log of this node's store and the last record that it contains; null if it is the store of a single node.
 *
 * @throws DirectoryLockError if a service uses the directory.
 * @throws StoreOpenError if there is no store, or it cannot be read.
 */
export async function storedPosition(dataDirectory: string): Promise<StoredMark | null> {
  return locked(dataDirectory, () => readMark(storeDirectory(dataDirectory, 'state')));
}

/**
 * Makes the store of this node the beginning of a new log, which the next start of the node creates. The store is reconciled
 * as a restored one: attempt numbers continue far above, workers register again, and the first owner waits until workers have
 * stopped the tasks that the store does not contain. Stops the managed server that the node has left, and puts the messages of
 * the bus aside. Can be repeated.
 *
 * @throws DirectoryLockError if a service uses the directory.
 * @throws StoreOpenError if there is no store, or it cannot be read.
 */
export async function recoverLog(dataDirectory: string): Promise<{
  readonly logId: string;
  readonly reconciled: Reconciled;
}> {
  return locked(dataDirectory, async () => {
    const [state, logs] = [storeDirectory(dataDirectory, 'state'), storeDirectory(dataDirectory, 'logs')];
    assertStoreExists(logs);
    const before = await readMark(state);
    const logId = randomUUID();
    await stopServers(dataDirectory);
    putAside(dataDirectory, [BUS_STORE], 'before-recover');
    const reconciled = await reconcileRestored(state, logs, Date.now());
    const now = new Date().toISOString();
    writeFileSync(
      restoreMarkerPath(dataDirectory),
      `${JSON.stringify({ restored_at: now, backup_made_at: now })}\n`,
      { mode: 0o600, flush: true },
    );
    await writeLogOrder(dataDirectory, { v: 1, type: 'create', log_id: logId });
    const epoch = (before?.mark.epoch ?? 0) + EPOCHS_APART;
    await writeClusterMark(state, appliedMarkRow({ logId, mark: { ...EMPTY_LOG, epoch } }));
    return { logId, reconciled };
  });
}

/**
 * Puts the stores of this node aside, so that it takes its state from the other nodes at its next start, and does not create a
 * log. Stops the managed server that the node has left. Returns the folder that contains the stores; null if there were none.
 *
 * @throws DirectoryLockError if a service uses the directory.
 */
export async function followOthers(dataDirectory: string): Promise<string | null> {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const aside = await locked(dataDirectory, async () => {
    await stopServers(dataDirectory);
    await writeLogOrder(dataDirectory, { v: 1, type: 'follow' });
    return putAside(dataDirectory, [...KINDS, BUS_STORE], 'before-follow');
  });
  return aside;
}

/** Calls `work` while no service can open the stores that exist. */
async function locked<T>(dataDirectory: string, work: () => Promise<T>): Promise<T> {
  assertRestoreComplete(dataDirectory);
  const locks: DirectoryLock[] = [];
  try {
    for (const kind of KINDS) {
      const directory = storeDirectory(dataDirectory, kind);
      if (existsSync(directory)) locks.push(lockDirectory(directory));
    }
    return await work();
  } finally {
    for (const lock of locks) lock.release();
  }
}

/** Returns the mark of the store, with all that its journal holds. */
async function readMark(directory: string): Promise<StoredMark | null> {
  await settleJournal(directory);
  return storedMarkIn(directory);
}

async function stopServers(dataDirectory: string): Promise<void> {
  for (const folder of [join(dataDirectory, 'bus'), join(dataDirectory, 'bus', 'cluster')])
    await stopLeftServer(folder);
}

function putAside(dataDirectory: string, names: readonly string[], label: string): string | null {
  const present = names.filter((name) => existsSync(join(dataDirectory, name)));
  if (present.length === 0) return null;
  const folder = join(dataDirectory, `${label}-${new Date().toISOString().replaceAll(/[:.]/g, '')}`);
  mkdirSync(folder, { mode: 0o700 });
  for (const name of present) renameSync(join(dataDirectory, name), join(folder, name.replaceAll('/', '-')));
  syncDirectory(dataDirectory);
  return folder;
}
