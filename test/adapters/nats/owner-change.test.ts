import { test, type Test } from 'tap';
import { managerOf } from '../../../src/adapters/nats/streams.ts';
import type { BusEvent } from '../../../src/core/ports/bus.ts';
import { STREAMS } from '../../../src/core/wire/subjects.ts';
import { recordingShard, recordingWorker, statusOf, taskOf } from '../../kit/nats-members.ts';

import { NatsServer } from '../../kit/nats-server.ts';

/** The owner of a cluster changes: the streams of its predecessor continue with it. */

const isImpaired = (event: BusEvent): boolean => event.type === 'impaired';
const isReady = (event: BusEvent): boolean => event.type === 'ready';
/** No test waits this long: what arrives is not a redelivery after a time. */
const SLOW_REDELIVERY = { waitsMs: [600_000, 600_000], deliveriesMax: 3 };

async function startServer(t: Test): Promise<NatsServer> {
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  return server;
}

function workerOf(t: Test, server: NatsServer) {
  const worker = recordingWorker(server.servers);
  t.teardown(() => worker.bus.close());
  return worker;
}

/** Connects the shard of an owner, and waits until it is ready. */
async function ownerOf(t: Test, server: NatsServer, epoch: number | null) {
  const shard = recordingShard(server.servers, SLOW_REDELIVERY, false, server.servers, epoch);
  t.teardown(() => shard.bus.close());
  await shard.events.next(isReady);
  return shard;
}

async function consumersOf(server: NatsServer): Promise<readonly string[]> {
  const nc = await server.connect();
  try {
    const names: string[] = [];
    for await (const { name } of (await managerOf(nc)).consumers.list(STREAMS.status.name)) names.push(name);
    return names.sort();
  } finally {
    await nc.close();
  }
}

for (const earlierEpoch of [7, null])
  test(`a new owner gets at once what the earlier one did not acknowledge (epoch ${earlierEpoch})`, async (t) => {
    const server = await startServer(t);
    const worker = workerOf(t, server);
    const earlier = await ownerOf(t, server, earlierEpoch);
    for (const index of [1, 2, 3]) await worker.bus.reportStatus(statusOf(index));
    const [first, , third] = [1, 2, 3].map((index) =>
      earlier.statuses.next(({ message }) => message.task_id === taskOf(index)),
    );
    (await first)?.acknowledge();
    (await third)?.acknowledge();
    // After a reply on the same connection, the acknowledgements have arrived.
    t.equal(await earlier.bus.check(10_000), null);

    const next = await ownerOf(t, server, 8);
    const again = await next.statuses.next(({ message }) => message.task_id === taskOf(2));
    t.equal(again.deliveryNumber, 1);
    again.acknowledge();
    await worker.bus.reportStatus(statusOf(4));
    (await next.statuses.next(({ message }) => message.task_id === taskOf(4))).acknowledge();
    t.notOk(
      next.statuses.all.some(({ message }) => message.task_id === taskOf(1)),
      'what was acknowledged before everything else does not come again',
    );
    t.same(await consumersOf(server), ['shard-0-of-2-epoch-8']);
  });

test('an earlier owner that continues gets no messages, and takes none from its successor', async (t) => {
  const server = await startServer(t);
  const worker = workerOf(t, server);
  const earlier = await ownerOf(t, server, 7);
  const next = await ownerOf(t, server, 8);
  t.match(await earlier.events.next(isImpaired), { reason: 'consumer deleted' });
  t.match(await earlier.events.next((event) => event.type === 'impaired' && /epoch 8/.test(event.reason)), {
    reason: /^the owner of epoch 8 consumes stream CALLSHEET_\w+; this one has epoch 7$/,
  });
  await worker.bus.reportStatus(statusOf(1));
  (await next.statuses.next(() => true)).acknowledge();
  t.equal(earlier.statuses.all.length, 0);
  t.same(await consumersOf(server), ['shard-0-of-2-epoch-8']);
});

test('an owner keeps its consumer over connections', async (t) => {
  const server = await startServer(t);
  const worker = workerOf(t, server);
  const owner = await ownerOf(t, server, 7);
  await worker.bus.reportStatus(statusOf(1));
  (await owner.statuses.next(() => true)).acknowledge();
  t.equal(await owner.bus.check(10_000), null);
  const [from, fromOfWorker] = [owner.events.all.length, worker.events.all.length];
  await server.kill();
  await server.restart();
  await owner.events.next(isReady, from);
  await worker.events.next(isReady, fromOfWorker);
  await worker.bus.reportStatus(statusOf(2));
  (await owner.statuses.next(({ message }) => message.task_id === taskOf(2))).acknowledge();
  t.equal(owner.statuses.all.length, 2);
  t.same(await consumersOf(server), ['shard-0-of-2-epoch-7']);
});
