import { test, type Test } from 'tap';
import { connectShardBus, type BusIdentityRule } from '../../../src/adapters/nats/service-bus.ts';
import { factsOf } from '../../../src/adapters/nats/connection.ts';
import { holdPresence } from '../../../src/adapters/nats/presence-hold.ts';
import type { BusEvent, ServiceBus } from '../../../src/core/ports/bus.ts';
import { FARM, recordingWorker } from '../../kit/nats-members.ts';
import { ofType, Recorder } from '../../kit/nats-recorder.ts';
import { NatsServer } from '../../kit/nats-server.ts';
import { until } from '../../kit/until.ts';

const isReady = ofType('ready');
const RULE: BusIdentityRule = { field: 'id', limitMs: 60_000 };

interface Shard {
  readonly bus: ServiceBus;
  readonly events: Recorder<BusEvent>;
}

function connectShard(t: Test, server: NatsServer): Shard {
  const events = new Recorder<BusEvent>();
  const bus = connectShardBus(
    {
      servers: server.servers,
      streamServers: server.servers,
      isScoped: false,
      shard: { index: 0, count: 1 },
      identity: RULE,
    },
    {
      leaseRequested: () => undefined,
      presenceAnnounced: () => undefined,
      statusReported: () => undefined,
      busChanged: events.add,
    },
  );
  t.teardown(() => bus.close());
  return { bus, events };
}

async function startServer(t: Test): Promise<NatsServer> {
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  return server;
}

test('a worker has the proof that no service is connected, and none while one is', async (t) => {
  const server = await startServer(t);
  const worker = recordingWorker(server.servers);
  t.teardown(() => worker.bus.close());
  await worker.events.next(isReady);
  const shard = connectShard(t, server);
  await shard.events.next(isReady);
  const single = shard.bus.singleBus();
  if (single === null) throw new Error('a single server is a single bus');
  t.equal(single.limitMs, RULE.limitMs);
  t.notOk(
    await worker.bus.isServiceAbsent(FARM, single.id, 300),
    'the service is connected and does not reply',
  );
  await shard.bus.close();
  t.equal(shard.bus.singleBus(), null, 'no bus without a connection');
  t.ok(await worker.bus.isServiceAbsent(FARM, single.id, 5_000), 'the bus says that there is none');
  t.notOk(await worker.bus.isServiceAbsent(FARM, 'another-bus', 5_000), 'another bus proves nothing');
  await server.kill();
  await server.restart();
  await worker.events.next((event) => event.type === 'connected' && !event.isFirst);
  t.notOk(await worker.bus.isServiceAbsent(FARM, single.id, 5_000), 'the id of a restarted server is new');
});

test('a worker without a connection has no proof', async (t) => {
  const server = await NatsServer.prepare();
  t.teardown(() => server.stop());
  const worker = recordingWorker(server.servers);
  t.teardown(() => worker.bus.close());
  t.notOk(await worker.bus.isServiceAbsent(FARM, 'any', 5_000));
});

test('a member of a cluster, and a server with a JetStream domain, are not a single bus', (t) => {
  const info = { server_name: 'n', server_id: 'i' } as Parameters<typeof factsOf>[0];
  t.match(factsOf(info), { name: 'n', id: 'i', isSingle: true });
  t.match(factsOf({ ...info, cluster: 'c' }), { isSingle: false });
  t.match(factsOf(Object.assign({}, info, { domain: 'leaf' })), { isSingle: false });
  t.end();
});

test('a service that waits after a restore is present without replying', async (t) => {
  const server = await startServer(t);
  const worker = recordingWorker(server.servers);
  t.teardown(() => worker.bus.close());
  await worker.events.next(isReady);
  const shard = connectShard(t, server);
  await shard.events.next(isReady);
  const id = shard.bus.singleBus()?.id ?? '';
  await shard.bus.close();
  const stopping = new AbortController();
  const held = holdPresence(server.servers, 3_600_000, stopping.signal);
  await until('the service is present', async () => !(await worker.bus.isServiceAbsent(FARM, id, 200)));
  stopping.abort();
  await held;
  t.ok(await worker.bus.isServiceAbsent(FARM, id, 5_000), 'after the wait it is unreachable');
  const startedAt = performance.now();
  await holdPresence(server.servers, 200, new AbortController().signal);
  t.ok(performance.now() - startedAt >= 199, 'the whole time passes');
});
