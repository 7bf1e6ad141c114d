import { nanos } from '@nats-io/transport-node';
import { test } from 'tap';
import { STREAM_LIMITS } from '../../../src/adapters/nats/limits.ts';
import { ensureStream, managerOf, type StreamKind } from '../../../src/adapters/nats/streams.ts';
import { STREAMS } from '../../../src/core/wire/subjects.ts';
import { recordingLogReader, recordingShard } from '../../kit/nats-members.ts';
import { ofType } from '../../kit/nats-recorder.ts';
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
  await Promise.all([...kinds, ...kinds].map((kind) => ensureStream(manager, kind, null)));

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
  const { info: made } = await ensureStream(manager, 'status', null);
  await manager.jetstream().publish('task.status.x', 'kept');
  await manager.streams.update(name, {
    max_age: nanos(1000 * HOUR_MS),
    max_bytes: 10_000,
    description: 'mine',
  });

  const { info, repaired } = await ensureStream(manager, 'status', null);
  t.same(repaired, ['max_age', 'max_bytes']);
  t.equal(info.config.max_age, nanos(TABLE.status.retentionMs));
  t.equal(info.config.max_bytes, STREAM_LIMITS.status.bytes);
  t.equal(info.config.description, 'mine');
  t.equal(info.state.messages, 1);
  t.equal(info.created, made.created);

  const again = await ensureStream(manager, 'status', null);
  t.same(again.info.config, info.config);
  t.same(again.repaired, []);
});

test('a stream that cannot be restored is an error with the reason', async (t) => {
  const server = await NatsServer.start();
  t.teardown(() => server.stop());
  const nc = await server.connect();
  t.teardown(() => nc.close());
  const manager = await managerOf(nc);
  await manager.streams.add({ name: STREAMS.logs.name, subjects: ['task.logs.*'], storage: 'memory' });
  await t.rejects(ensureStream(manager, 'logs', null), {
    message:
      'storage is memory and must be file; the server cannot change this: delete the stream, and the service creates it again',
  });
  const { config } = await manager.streams.info(STREAMS.logs.name);
  t.equal(config.max_age, nanos(TABLE.logs.retentionMs), 'the other settings are repaired');
  await manager.streams.add({ name: 'OTHER', subjects: ['task.>'] }).catch(() => undefined);
  await manager.streams.add({ name: 'OTHER', subjects: ['task.cancel.>'] });
  await t.rejects(ensureStream(manager, 'cancel', null), { message: /subjects overlap/ });
});

test('settings that another client changes are restored while the service runs', async (t) => {
  const server = await NatsServer.start();
  const shard = recordingShard(server.servers);
  const reader = recordingLogReader(server.servers);
  const nc = await server.connect();
  t.teardown(async () => {
    await Promise.all([shard.bus.close(), reader.bus.close(), nc.close()]);
    await server.stop();
  });
  await Promise.all([shard.events.next(ofType('ready')), reader.events.next(ofType('ready'))]);
  t.equal(await shard.bus.checkStreams(), null);
  const { streams } = await managerOf(nc);

  await streams.update(STREAMS.presence.name, { max_age: nanos(MINUTE_MS), max_bytes: 4096 });
  t.match(await shard.events.next(ofType('stream-repaired')), {
    stream: STREAMS.presence.name,
    settings: 'max_age, max_bytes',
  });
  const { config } = await streams.info(STREAMS.presence.name);
  t.match(config, { max_age: nanos(TABLE.presence.retentionMs), max_bytes: STREAM_LIMITS.presence.bytes });

  await streams.update(STREAMS.logs.name, { max_bytes: 4096 });
  t.match(await reader.events.next(ofType('stream-repaired')), {
    stream: STREAMS.logs.name,
    settings: 'max_bytes',
  });
});

test('a stream that cannot be repaired is reported until it is deleted', async (t) => {
  const server = await NatsServer.start();
  const nc = await server.connect();
  const { streams } = await managerOf(nc);
  const { name } = STREAMS.cancel;
  await streams.add({ name, subjects: ['task.cancel.*'], storage: 'memory', max_msgs: 100 });
  const shard = recordingShard(server.servers);
  t.teardown(async () => {
    await Promise.all([shard.bus.close(), nc.close()]);
    await server.stop();
  });
  t.match(await shard.events.next(ofType('stream-impaired')), {
    stream: name,
    reason: /^storage is memory and must be file; .* delete the stream, and the service creates it again$/,
  });
  t.match(await shard.bus.checkStreams(), `stream ${name}: storage is memory and must be file`);
  await streams.delete(name);
  await shard.events.next(ofType('ready'));
  await shard.events.next(ofType('stream-restored'));
  t.equal((await streams.info(name)).config.storage, 'file');
});

test('readiness names each stream that is missing', async (t) => {
  const server = await NatsServer.start();
  const shard = recordingShard(server.servers);
  t.teardown(async () => {
    await shard.bus.close();
    await server.stop();
  });
  await shard.events.next(ofType('ready'));
  t.equal(await shard.bus.checkStreams(), `stream ${STREAMS.logs.name}: it does not exist`);
});
