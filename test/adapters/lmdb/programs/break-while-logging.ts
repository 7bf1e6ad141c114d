import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { onDurable, NO_CALLBACKS } from '../../../kit/commit-callbacks.ts';
import { attach, startStore, threadOptions } from '../store-kit.ts';

/** Breaks the sequence of a shard while another thread writes logs. */
const [directory = ''] = process.argv.slice(2);
const thread = await startStore(threadOptions(join(directory, 'state')));
const logs = new Worker(new URL('./append-logs-forever.js', import.meta.url), {
  workerData: { directory: join(directory, 'logs') },
});
await once(logs, 'message');
const client = attach(thread);
client.commit({ version: 1, shard: 0, sequence: 1, changes: [] }, NO_CALLBACKS);
client.commit(
  { version: 1, shard: 0, sequence: 3, changes: [] },
  onDurable(() => console.log('the invalid set is durable')),
);
