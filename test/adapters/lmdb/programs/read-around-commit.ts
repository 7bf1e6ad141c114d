import { parentPort, workerData } from 'node:worker_threads';
import { openStateReader } from '../../../../src/adapters/lmdb/state-reader.ts';

/** A thread that reads one row three times in one turn: before a commit, after it, and after `refresh`. */
const { directory, key, committed } = workerData as { directory: string; key: string; committed: Int32Array };
const reader = await openStateReader(directory);
const read = (): string | undefined => reader.get('farm', key)?.name;
const before = read();
parentPort?.postMessage('waiting');
Atomics.wait(committed, 0, 0);
const after = read();
reader.refresh();
parentPort?.postMessage([before, after, read()]);
await reader.close();
