import { parentPort, workerData } from 'node:worker_threads';
import { openJournaledStore } from '../../src/adapters/lmdb/local-journal.ts';
import { runStoreThread, type StoreThreadOptions } from '../../src/adapters/lmdb/store-thread.ts';
import { openClusterStore } from './cluster-store.ts';
import { serveProfiles } from './profile-channel.ts';

/** Entry of the store thread. `startStoreThread` starts it and passes the options. */
if (parentPort === null) throw new Error('the store thread is started by the service, not by hand');
serveProfiles('store');
const options = workerData as StoreThreadOptions;
const { cluster = null } = options;
await runStoreThread(
  parentPort,
  options,
  cluster === null
    ? openJournaledStore
    : (writerOptions, hooks) => openClusterStore(writerOptions, cluster, hooks),
);
