import { randomUUID } from 'node:crypto';
import tap, { test } from 'tap';
import { clusterNames } from '../../../src/adapters/nats/log/cluster-names.ts';
import { LogStream } from '../../../src/adapters/nats/log/log-stream.ts';
import { clusterFault, LogCluster } from '../../kit/log-cluster.ts';
import { CLUSTER } from '../../kit/log-members.ts';
import { until } from '../../kit/until.ts';

tap.setTimeout(120_000);

const READS = 20;
const { stream, tail } = clusterNames(CLUSTER);
const encoder = new TextEncoder();

/**
 * The servers pass the read of a copy on to any of them, also to one that is paused or cut off. An owner that died with its
 * server must not look like a stall of the log.
 */
await test(
  'a reader without announced records asks the leader only',
  { skip: (await clusterFault()) ?? false },
  async (t) => {
    const cluster = await LogCluster.start();
    const log = new LogStream(
      { servers: cluster.servers(), cluster: CLUSTER, node: 'a' },
      { connected: () => undefined, troubled: (text) => t.comment(text) },
    );
    const observer = await cluster.connect();
    t.teardown(async () => {
      await log.close();
      await observer.close();
      await cluster.stop();
    });
    let copyReads = 0;
    observer.subscribe(`$JS.API.DIRECT.GET.${stream}`, {
      callback: () => {
        copyReads++;
      },
    });
    await observer.flush();
    await until('the log exists', async () => {
      await log.create(3, { logId: randomUUID(), base: 'empty' });
      return (await log.lookUp()).type === 'found';
    });
    for (let count = 0; count < READS; count++) {
      const read = await until('a read is answered', () => log.read(1, true));
      t.same(read, { records: [], first: 1, last: 0, isFromLeader: true });
    }
    await observer.flush();
    t.equal(copyReads, 0);
    observer.publish(tail, '1');
    await observer.flush();
    await until(
      'a record is stored',
      async () => (await log.append(1, encoder.encode('record'))).type === 'stored',
    );
    const { records } = await until('it is read', () => log.read(1, true));
    t.equal(records.length, 1);
    await observer.flush();
    t.ok(copyReads > 0, 'a stored record is read from a copy');
  },
);
