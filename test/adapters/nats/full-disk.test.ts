import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { jetstream } from '@nats-io/jetstream';
import tap, { test } from 'tap';
import { accessOptions } from '../../../src/adapters/nats/access.ts';
import { startManagedServer, type ManagedServerEvent } from '../../../src/adapters/nats/managed-server.ts';
import { managerOf } from '../../../src/adapters/nats/streams.ts';
import { ofType, Recorder } from '../../kit/nats-recorder.ts';
import { freePort } from '../../kit/nats-server.ts';
import { mountFault, mountSmallDisk } from '../../kit/small-disk.ts';
import { until } from '../../kit/until.ts';

tap.setTimeout(120_000);

const DISK_BYTES = 200 * 2 ** 20;
const MESSAGE_BYTES = 100_000;
const TIMEOUT_MS = 1000;
const TRIES = 3;
const isWarning = ofType('warning');

/** nats-server stores nothing after a failed write, also when there is room again. */
await test(
  'a server whose disk was full stores messages when there is room',
  { skip: mountFault() },
  async (t) => {
    const disk = mountSmallDisk(t, DISK_BYTES);
    const events = new Recorder<ManagedServerEvent>();
    const server = await startManagedServer(
      {
        folder: join(disk.path, 'bus'),
        listen: { host: '127.0.0.1', port: await freePort() },
        binaryPath: '',
        authentication: null,
      },
      events.add,
    );
    t.teardown(() => server.stop());
    const { streams } = server.access;
    const isStored = async (): Promise<boolean> => {
      try {
        const nc = await connect({
          servers: [...streams.servers],
          ...accessOptions(streams),
          reconnect: false,
        });
        try {
          await jetstream(nc, { timeout: TIMEOUT_MS }).publish('full', new Uint8Array(MESSAGE_BYTES));
          return true;
        } finally {
          await nc.close();
        }
      } catch {
        // No acknowledgement, or the server is not up yet.
        return false;
      }
    };
    const nc = await connect({ servers: [...streams.servers], ...accessOptions(streams) });
    await (await managerOf(nc)).streams.add({ name: 'FULL', subjects: ['full'] });
    await nc.close();
    t.ok(await isStored(), 'a message is stored');
    disk.fill();
    // Each try takes as long as its timeout, so the disk is full for longer than the interval of its checks.
    for (let tries = 0; tries < TRIES; tries++)
      t.notOk(await isStored(), 'no message is stored on a full disk');
    disk.empty();
    const { text } = await until('the restart is announced', () => events.all.find(isWarning) ?? null);
    t.match(text, /was full and has room again/);
    await until('messages are stored again', isStored);
  },
);
