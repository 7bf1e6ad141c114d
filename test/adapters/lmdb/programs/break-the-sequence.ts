import { createStoreClient } from '../../../../src/adapters/lmdb/store-client.ts';
import { onDurable } from '../../../kit/commit-callbacks.ts';
import { startStore, threadOptions } from '../store-kit.ts';

/** Commits set 1, and then a set with the given shard and sequence. */
const [directory = '', shard = '0', sequence = '3'] = process.argv.slice(2);
const thread = await startStore(threadOptions(directory));
const client = createStoreClient(thread.attachShard(0));
client.commit(
  { version: 1, shard: 0, sequence: 1, changes: [] },
  onDurable(() => {
    console.log('1 is durable');
    const set = { version: 1, shard: Number(shard), sequence: Number(sequence), changes: [] } as const;
    client.commit(
      set,
      onDurable(() => console.log('the invalid set is durable')),
    );
  }),
);
