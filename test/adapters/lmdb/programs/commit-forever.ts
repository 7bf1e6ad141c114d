import { writeSync } from 'node:fs';
import { createStoreClient } from '../../../../src/adapters/lmdb/store-client.ts';
import { openStateReader } from '../../../../src/adapters/lmdb/state-reader.ts';
import { put, remove, type ChangeSet } from '../../../../src/core/records/change-set.ts';
import { farmNamed } from '../arbitrary-changes.ts';
import { startStore, threadOptions } from '../store-kit.ts';

/**
 * Commits sets without end and prints the number of each that is on disk. Set n puts row n, moves the one row `newest`, and replaces its
 * neighbour in another table: a set that is there in part shows. Goes on behind the newest set of the store. Several wait at any time.
 */
const [directory = ''] = process.argv.slice(2);
const IN_FLIGHT = 8;
const STDOUT = 1;

const setOf = (n: number): ChangeSet => ({
  version: 1,
  shard: 0,
  sequence: n,
  changes: [
    put('farm', String(n).padStart(10, '0'), farmNamed(`set ${n} ${'x'.repeat((n % 7) * 400)}`)),
    put('taskPage', 'newest', new Uint8Array(Uint32Array.of(n).buffer)),
    put('taskPage', `half-${n}`, new Uint8Array(1024)),
    remove('taskPage', `half-${n - 1}`),
  ],
});

const thread = await startStore(threadOptions(directory));
const reader = await openStateReader(directory);
const newest = [...reader.scan('farm', { reverse: true, limit: 1 })][0];
const client = createStoreClient(thread.attachShard(0));
let next = newest === undefined ? 1 : Number(newest.key) + 1;

/** The pipe may be full: then this waits until it is not. */
const tell = (n: number): void => {
  for (;;) {
    try {
      writeSync(STDOUT, `${n}\n`);
      return;
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('EAGAIN')) throw error;
    }
  }
};

const commitNext = (): void => {
  const n = next++;
  client.commit(setOf(n), () => {
    tell(n);
    commitNext();
  });
};
for (let i = 0; i < IN_FLIGHT; i++) commitNext();
