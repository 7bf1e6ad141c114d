import { parentPort, workerData } from 'node:worker_threads';
import { serveProfiles } from './profile-channel.ts';
import { runStoreThread, type StoreThreadOptions } from '../../src/adapters/lmdb/store-thread.ts';

/** Entry of the store thread. `startStoreThread` starts it and passes the options. */
if (parentPort === null) throw new Error('the store thread is started by the service, not by hand');
serveProfiles('store');
await runStoreThread(parentPort, workerData as StoreThreadOptions);
