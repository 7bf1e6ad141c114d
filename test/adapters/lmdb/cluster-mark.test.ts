import { join } from 'node:path';
import { test } from 'tap';
import { openJournaledStore } from '../../../src/adapters/lmdb/local-journal.ts';
import { openLogWriter } from '../../../src/adapters/lmdb/log-writer.ts';
import { reconcileRestored } from '../../../src/adapters/lmdb/restored-store.ts';
import { openStateWriter } from '../../../src/adapters/lmdb/state-writer.ts';
import { CLUSTER_MARK_KEY } from '../../../src/adapters/lmdb/store-format.ts';
import { writerOptions } from './store-kit.ts';

test('a single node does not open the store of a cluster, but a restored copy of it', async (t) => {
  const directory = t.testdir();
  const [state, logs] = [join(directory, 'state'), join(directory, 'logs')];
  const writer = await openStateWriter(writerOptions(state));
  t.equal(writer.isEmpty(), true);
  t.equal(writer.appliedMark(CLUSTER_MARK_KEY), null);
  writer.apply([], { mark: { key: CLUSTER_MARK_KEY, value: 'of a log' } });
  t.equal(writer.appliedMark(CLUSTER_MARK_KEY), 'of a log');
  await writer.close();
  await (await openLogWriter({ ...writerOptions(logs), maxBytesPerTask: 0 })).close();
  await t.rejects(openJournaledStore(writerOptions(state)), {
    name: 'StoreOpenError',
    message: /cannot be opened: it is that of a node of a cluster: start the node with the settings/,
  });
  await reconcileRestored(state, logs, 0);
  const restored = await openJournaledStore(writerOptions(state));
  t.equal(restored.writer.appliedMark(CLUSTER_MARK_KEY), null);
  await restored.writer.close();
});
