import { test } from 'tap';
import { STREAMS } from '../../../src/core/wire/subjects.ts';
import { managerOf } from '../../../src/adapters/nats/streams.ts';
import type { StatusMessage } from '../../../src/core/wire/bus-messages.ts';
import {
  attemptOf,
  leaseRequest,
  logOf,
  recordingLogReader,
  recordingShard,
  recordingWorker,
  FAST_REDELIVERY,
  statusOf,
  taskOf,
  WORKER,
} from '../../kit/nats-members.ts';
import { ofType } from '../../kit/nats-recorder.ts';
import { NatsServer } from '../../kit/nats-server.ts';

const isReady = ofType('ready');
const isDisconnected = ofType('disconnected');

/** Resolves once each of the two connections of a shard, requests and streams, is lost. */
const bothDisconnected = (shard: ReturnType<typeof recordingShard>): Promise<unknown> =>
  Promise.all(
    ([undefined, 'streams'] as const).map((purpose) =>
      shard.events.next((event) => event.type === 'disconnected' && event.purpose === purpose),
    ),
  );

test('clients can start before the server', async (t) => {
  const server = await NatsServer.prepare();
  t.teardown(() => server.stop());
  const shard = recordingShard(server.servers, FAST_REDELIVERY);
  const worker = recordingWorker(server.servers);
  t.teardown(() => Promise.all([shard.bus.close(), worker.bus.close()]));
  t.match(await shard.events.next(ofType('unreachable')), { reason: 'connection refused' });
  t.same(await worker.bus.reportStatus(statusOf(1)), { type: 'disconnected' });
  t.equal(await shard.bus.check(1000), 'not connected to a server');
  await server.restart();
  await Promise.all([shard.events.next(isReady), worker.events.next(isReady)]);
  t.match(await shard.events.next(ofType('connected')), { version: /^2\./, isFirst: true });
  const unreachable = shard.events.all
    .filter(ofType('unreachable'))
    .map(({ purpose = 'requests' }) => purpose);
  t.same(unreachable.toSorted(), ['requests', 'streams'], 'reported once for each connection');
  t.match(await worker.bus.reportStatus(statusOf(1)), { type: 'stored' });
  await shard.statuses.next(() => true);
});

test('a client that never reached a server can close', async (t) => {
  const server = await NatsServer.prepare();
  t.teardown(() => server.stop());
  const worker = recordingWorker(server.servers);
  await worker.events.next(ofType('unreachable'));
  await worker.bus.close();
  t.same(
    worker.events.all.map((event) => event.type),
    ['unreachable'],
  );
});

test('stored messages survive repeated kills of the server', async (t) => {
  const ROUNDS = 8;
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  const shard = recordingShard(server.servers, FAST_REDELIVERY);
  const reader = recordingLogReader(server.servers, FAST_REDELIVERY);
  const worker = recordingWorker(server.servers);
  t.teardown(() => Promise.all([shard.bus.close(), reader.bus.close(), worker.bus.close()]));
  await Promise.all([shard.events.next(isReady), reader.events.next(isReady), worker.events.next(isReady)]);

  const stored: StatusMessage[] = [];
  let storedLogs = 0;
  const seen = new Set<string>();
  let read = 0;
  let task = 0;
  const acknowledgeAll = (): void => {
    for (const delivery of shard.statuses.all.slice(read)) {
      seen.add(delivery.message.attempt_id);
      delivery.acknowledge();
    }
    read = shard.statuses.all.length;
  };
  for (let round = 1; round <= ROUNDS; round += 1) {
    const from = {
      shard: shard.events.all.length,
      reader: reader.events.all.length,
      worker: worker.events.all.length,
    };
    const messages = Array.from({ length: 60 }, () => statusOf((task += 1)));
    const reports = messages.map(async (message) => {
      const outcome = await worker.bus.reportStatus(message);
      if (outcome.type === 'stored') stored.push(message);
    });
    const logs = worker.bus.publishLogs(messages.map((_, index) => logOf(1, (round - 1) * 60 + index + 1)));
    // The server is killed while messages are being stored.
    await shard.statuses.count(read + 1 + round);
    acknowledgeAll();
    await server.kill();
    await Promise.all(reports);
    storedLogs += (await logs).stored;
    await server.restart();
    await Promise.all([
      shard.events.next(isReady, from.shard),
      reader.events.next(isReady, from.reader),
      worker.events.next(isReady, from.worker),
    ]);
    t.match(await worker.bus.reportStatus(statusOf((task += 1))), { type: 'stored' }, `round ${round}`);
  }
  t.ok(stored.length > 0, `${stored.length} stored`);
  const missing = (): StatusMessage[] => stored.filter((message) => !seen.has(message.attempt_id));
  await shard.statuses.next(() => {
    acknowledgeAll();
    return missing().length === 0;
  });
  t.same(missing(), []);
  const numbers = new Set<number>();
  await reader.logs.next(({ message }) => numbers.add(message.seq_num).size >= storedLogs);
  const chunkAt = new Map<number, number>();
  for (const { message, streamSequence } of reader.logs.all) {
    t.equal(
      chunkAt.get(streamSequence) ?? message.seq_num,
      message.seq_num,
      'a sequence stays with its chunk',
    );
    chunkAt.set(streamSequence, message.seq_num);
  }
  t.equal(new Set(reader.logs.all.map((log) => log.streamCreatedAt)).size, 1);
});

test('streams that are lost with their disk are re-created, and the log reader detects it', async (t) => {
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  const shard = recordingShard(server.servers, FAST_REDELIVERY);
  const reader = recordingLogReader(server.servers, FAST_REDELIVERY);
  const worker = recordingWorker(server.servers);
  t.teardown(() => Promise.all([shard.bus.close(), reader.bus.close(), worker.bus.close()]));
  await Promise.all([shard.events.next(isReady), reader.events.next(isReady), worker.events.next(isReady)]);
  await worker.bus.publishLogs([logOf(1, 1), logOf(1, 2)]);
  await reader.logs.count(2);
  const from = [shard, reader, worker].map(({ events }) => events.all.length);
  await server.kill();
  server.wipe();
  await server.restart();
  await Promise.all([shard, reader, worker].map(({ events }, index) => events.next(isReady, from[index])));

  await worker.bus.publishLogs([logOf(1, 3)]);
  const third = await reader.logs.next(({ message }) => message.seq_num === 3);
  t.equal(third.streamSequence, 1);
  t.not(third.streamCreatedAt, reader.logs.all[0]?.streamCreatedAt);
  t.match(await worker.bus.reportStatus(statusOf(1)), { type: 'stored', streamSequence: 1 });
  (await shard.statuses.next(() => true)).acknowledge();
});

test('deleted consumers and streams are re-created while the connection stays open', async (t) => {
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  const shard = recordingShard(server.servers, FAST_REDELIVERY);
  const worker = recordingWorker(server.servers);
  t.teardown(() => Promise.all([shard.bus.close(), worker.bus.close()]));
  await Promise.all([shard.events.next(isReady), worker.events.next(isReady)]);
  const nc = await server.connect();
  t.teardown(() => nc.close());
  const manager = await managerOf(nc);

  let from = shard.events.all.length;
  await manager.consumers.delete(STREAMS.status.name, 'shard-0-of-2');
  t.match(await shard.events.next(ofType('impaired'), from), {
    part: `consumer shard-0-of-2 of ${STREAMS.status.name}`,
    reason: 'consumer deleted',
  });
  await shard.events.next(isReady, from);
  await worker.bus.reportStatus(statusOf(1));
  (await shard.statuses.next(() => true)).acknowledge();

  from = shard.events.all.length;
  await manager.streams.delete(STREAMS.status.name);
  await shard.events.next(isReady, from);
  await worker.bus.reportStatus(statusOf(2));
  (await shard.statuses.next(({ message }) => message.task_id === taskOf(2))).acknowledge();

  worker.bus.followCancels(taskOf(1));
  from = shard.events.all.length;
  await manager.streams.delete(STREAMS.cancel.name);
  await shard.events.next(isReady, from);
  shard.bus.cancelAttempt(WORKER, {
    v: 1,
    task_id: taskOf(1),
    attempt_id: attemptOf(1),
    reason: 'canceled by user',
  });
  await worker.cancels.next(() => true);
  const names = (await manager.streams.list().next()).map((info) => info.config.name);
  t.ok(names.includes(STREAMS.cancel.name), 'the stream of cancels was re-created');
  t.same(shard.events.all.filter(ofType('publish-failed')), []);
  t.equal(shard.events.all.filter(isDisconnected).length, 0);
});

test('a request of a worker fails with "disconnected" when the server ends', async (t) => {
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  const shard = recordingShard(server.servers, FAST_REDELIVERY);
  const worker = recordingWorker(server.servers);
  t.teardown(() => Promise.all([shard.bus.close(), worker.bus.close()]));
  await Promise.all([shard.events.next(isReady), worker.events.next(isReady)]);
  worker.bus.followCancels(taskOf(1));
  const lease = worker.bus.requestLease('_any', leaseRequest, 35_000);
  const { inbox } = await shard.leases.next(() => true);
  await server.kill();
  t.same(await lease, { type: 'disconnected' });
  await worker.events.next(isDisconnected);
  await bothDisconnected(shard);
  t.equal(shard.bus.answerLease(inbox, { v: 1, type: 'unknown' }), 'disconnected');
  t.equal(shard.bus.prepareLease(inbox, { v: 1, type: 'unknown' }), 'prepared');
  t.doesNotThrow(shard.bus.takePrepared(), 'the reply is lost');
  shard.bus.cancelAttempt(WORKER, {
    v: 1,
    task_id: taskOf(1),
    attempt_id: attemptOf(1),
    reason: 'canceled by user',
  });
  t.match(await shard.events.next(ofType('publish-failed')), { reason: 'disconnected' });

  const from = [shard, worker].map(({ events }) => events.all.length);
  await server.restart();
  await Promise.all([shard, worker].map(({ events }, index) => events.next(isReady, from[index])));
  t.match(await worker.events.next(ofType('connected'), from[1]), { isFirst: false });
  shard.bus.cancelAttempt(WORKER, {
    v: 1,
    task_id: taskOf(1),
    attempt_id: attemptOf(1),
    reason: 'canceled by user',
  });
  t.match(
    await worker.cancels.next(() => true),
    { task_id: taskOf(1) },
    'the subscription survived the outage',
  );
});

test('a shard that reconnects continues where it stopped', async (t) => {
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  const worker = recordingWorker(server.servers);
  t.teardown(() => worker.bus.close());
  const first = recordingShard(server.servers, FAST_REDELIVERY);
  await Promise.all([first.events.next(isReady), worker.events.next(isReady)]);
  await worker.bus.reportStatus(statusOf(1));
  await worker.bus.reportStatus(statusOf(2));
  (await first.statuses.next(({ message }) => message.task_id === taskOf(1))).acknowledge();
  await first.statuses.next(({ message }) => message.task_id === taskOf(2));
  await first.bus.close();
  await worker.bus.reportStatus(statusOf(3));

  const second = recordingShard(server.servers, FAST_REDELIVERY);
  t.teardown(() => second.bus.close());
  const isOf = (index: number) => (delivery: { readonly message: StatusMessage }) =>
    delivery.message.task_id === taskOf(index);
  await second.statuses.next(isOf(2));
  await second.statuses.next(isOf(3));
  t.equal(second.statuses.all.filter(isOf(1)).length, 0, 'acknowledged before the shard disconnected');
});

test('the connection to a server that hangs is closed, even with much unsent data', async (t) => {
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  const worker = recordingWorker(server.servers, 200);
  t.teardown(() => worker.bus.close());
  await worker.events.next(isReady);
  await server.freeze();
  const logs = worker.bus.publishLogs(
    Array.from({ length: 200 }, (_, index) => logOf(1, index + 1, 'x'.repeat(60_000))),
  );
  t.match(await worker.events.next(ofType('server-error')), { reason: 'the server does not answer pings' });
  await worker.events.next(isDisconnected);
  t.same(await logs, { stored: 0, failure: { type: 'disconnected' } });
  await server.kill();
  const from = worker.events.all.length;
  await server.restart();
  await worker.events.next(isReady, from);
});
