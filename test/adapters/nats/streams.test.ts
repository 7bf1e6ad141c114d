import { nanos } from '@nats-io/transport-node';
import { test } from 'tap';
import { STREAM_LIMITS } from '../../../src/adapters/nats/limits.ts';
import { ensureStream, managerOf, type StreamKind } from '../../../src/adapters/nats/streams.ts';
import { STREAMS } from '../../../src/core/wire/subjects.ts';
import { NatsServer } from '../../kit/nats-server.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The persistent streams of docs/contract/bus.md#subjects. */
const TABLE: Record<StreamKind, { readonly subjects: readonly string[]; readonly retentionMs: number }> = {
  status: { subjects: ['task.status.*'], retentionMs: 24 * HOUR_MS },
  logs: { subjects: ['task.logs.*'], retentionMs: 96 * HOUR_MS },
  cancel: { subjects: ['task.cancel.*'], retentionMs: 5 * MINUTE_MS },
  presence: {
    subjects: ['worker.register', 'worker.heartbeat', 'worker.deregister'],
    retentionMs: 2 * MINUTE_MS,
  },
};
const kinds = Object.keys(TABLE) as StreamKind[];

test('the streams are those of the contract, each with its own limit', async (t) => {
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  const nc = await server.connect();
  t.teardown(() => nc.close());
  const manager = await managerOf(nc);
  // Several threads may create them at the same time.
  await Promise.all([...kinds, ...kinds].map((kind) => ensureStream(manager, kind)));

  const names = (await manager.streams.list().next()).map((info) => info.config.name).sort();
  t.same(
    names,
    Object.values(STREAMS)
      .map((stream) => stream.name)
      .sort(),
  );
  for (const kind of kinds) {
    const { config } = await manager.streams.info(STREAMS[kind].name);
    t.match(
      config,
      {
        subjects: [...TABLE[kind].subjects],
        max_age: nanos(TABLE[kind].retentionMs),
        retention: 'limits',
        discard: 'old',
        storage: 'file',
        max_bytes: STREAM_LIMITS[kind].bytes,
        max_msg_size: STREAM_LIMITS[kind].messageBytes,
        duplicate_window: nanos(STREAM_LIMITS[kind].duplicateWindowMs),
        max_msgs: -1,
        max_msgs_per_subject: -1,
      },
      kind,
    );
  }
});

test('a changed stream is restored and keeps its messages and foreign settings', async (t) => {
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  const nc = await server.connect();
  t.teardown(() => nc.close());
  const manager = await managerOf(nc);
  const { name } = STREAMS.status;
  const made = await ensureStream(manager, 'status');
  await manager.jetstream().publish('task.status.x', 'kept');
  await manager.streams.update(name, {
    max_age: nanos(1000 * HOUR_MS),
    max_bytes: 10_000,
    description: 'mine',
  });

  const info = await ensureStream(manager, 'status');
  t.equal(info.config.max_age, nanos(TABLE.status.retentionMs));
  t.equal(info.config.max_bytes, STREAM_LIMITS.status.bytes);
  t.equal(info.config.description, 'mine');
  t.equal(info.state.messages, 1);
  t.equal(info.created, made.created);

  const again = await ensureStream(manager, 'status');
  t.same(again.config, info.config);
});

test('a stream that cannot be restored is an error with the reason', async (t) => {
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  const nc = await server.connect();
  t.teardown(() => nc.close());
  const manager = await managerOf(nc);
  await manager.streams.add({ name: STREAMS.logs.name, subjects: ['task.logs.*'], storage: 'memory' });
  await t.rejects(ensureStream(manager, 'logs'), { message: /stream configuration update can not change/ });
  await manager.streams.add({ name: 'OTHER', subjects: ['task.>'] }).catch(() => undefined);
  await manager.streams.add({ name: 'OTHER', subjects: ['task.cancel.>'] });
  await t.rejects(ensureStream(manager, 'cancel'), { message: /subjects overlap/ });
});
