import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { test } from 'tap';
import { replayCommits } from '../../../../bench/kit/lease/replay-commits.ts';
import { createStoreClient } from '../../../../src/adapters/lmdb/store-client.ts';
import { remove } from '../../../../src/core/records/change-set.ts';
import { NO_CALLBACKS } from '../../../kit/commit-callbacks.ts';

test('the store calls of a shard are recorded, and repeated in order at the requested times', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'callsheet-recorded-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, 'commits');
  process.env['CALLSHEET_BENCH_COMMITS'] = file;
  await import('../../../../bench/kit/lease/record-commits.ts');
  const { port1, port2 } = new MessageChannel();
  t.teardown(() => port2.close());
  const store = createStoreClient(port1);
  const from = Date.now();
  for (const [sequence, keys] of [['a'], ['b', 'cc'], ['d']].entries()) {
    const changes = keys.map((key) => remove('job', key));
    store.commit({ version: 1, shard: 0, sequence, changes }, NO_CALLBACKS);
  }
  port1.postMessage({ type: 'other', set: new ArrayBuffer(8) });
  store.close();
  const { seconds, ...counted } = await replayCommits(file, from, Infinity);
  t.same(counted, { commits: 3, rows: 4, bytes: 5 });
  t.ok(seconds > 0);
  t.match(
    await replayCommits(file, Date.now() + 1, Infinity),
    { commits: 0, rows: 0 },
    'not before the time',
  );
});
