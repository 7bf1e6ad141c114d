import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test, type Test } from 'tap';
import {
  startManagedServer,
  stopLeftServer,
  type ManagedServer,
  type ManagedServerEvent,
} from '../../../src/adapters/nats/managed-server.ts';
import { findServerBinary } from '../../../src/adapters/nats/server-binary.ts';
import { findServerProcess } from '../../../src/adapters/nats/server-process.ts';
import type { ServerList } from '../../../src/adapters/nats/server-address.ts';
import { probeServer } from '../../../src/adapters/nats/server-probe.ts';
import {
  recordingShard,
  recordingWorker,
  FAST_REDELIVERY,
  statusOf,
  taskOf,
} from '../../kit/nats-members.ts';
import { ofType, Recorder } from '../../kit/nats-recorder.ts';
import { freePort, NatsServer } from '../../kit/nats-server.ts';

const HOST = '127.0.0.1';
const isStarted = ofType('started');

async function startManaged(t: Test, folder: string, port: number) {
  const events = new Recorder<ManagedServerEvent>();
  const server: ManagedServer = await startManagedServer(
    { folder, listen: { host: HOST, port }, binaryPath: '', authentication: null },
    events.add,
  );
  t.teardown(() => server.stop());
  return { server, events, started: await events.next(isStarted) };
}

/** Starts another process that owns a managed server, to be killed. */
async function startOwner(t: Test, folder: string, port: number) {
  const program = fileURLToPath(new URL('../../kit/nats-owner.js', import.meta.url));
  const owner = fork(program, [folder, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    execArgv: [],
  });
  t.teardown(() => owner.kill('SIGKILL'));
  const said = new Recorder<ManagedServerEvent>();
  owner.stdout?.setEncoding('utf8').on('data', (text: string) => {
    for (const line of text.split('\n').filter((part) => part !== '')) {
      said.add(JSON.parse(line) as ManagedServerEvent);
    }
  });
  return { owner, pid: (await said.next(isStarted)).pid };
}

async function kill(owner: ChildProcess): Promise<void> {
  owner.kill('SIGKILL');
  await once(owner, 'exit');
}

/** Access of a client without credentials. */
const anonymous = ({ access }: ManagedServer): ServerList => ({
  servers: access.requests.servers,
  isTls: false,
});

const configPathOf = (folder: string): string => join(folder, 'nats-server.conf');

test('a managed server listens at its address, protects its files and ends when it is stopped', async (t) => {
  const folder = join(t.testdir({}), 'deep', 'bus');
  const port = await freePort();
  const { server, events, started } = await startManaged(t, folder, port);
  t.match(server.access.requests, { servers: [`${HOST}:${port}`], isTls: false });
  t.match(started, { version: server.version, isAdopted: false });
  t.match(await probeServer({ host: HOST, port }), { version: server.version, jetstream: true, port });
  t.equal(statSync(configPathOf(folder)).mode & 0o777, 0o600);
  t.equal(statSync(folder).mode & 0o777, 0o700);
  const config = readFileSync(configPathOf(folder), 'utf8');
  t.notMatch(config, /http|websocket|mqtt|leafnodes|cluster|gateway/);
  t.ok(existsSync(join(folder, 'store', 'jetstream')));
  const hasOldServer = server.version.startsWith('2.9.');
  t.equal(config.includes('sync_interval: always'), !hasOldServer);
  t.match(config, 'authorization {\n  timeout: 10\n}', 'slow clients are not cut off after 2 s');
  const warnings = events.all.filter(ofType('warning')).map(({ text }) => text);
  t.equal(warnings.length, hasOldServer ? 1 : 0);
  if (hasOldServer) t.match(warnings[0], /power cut can lose/);

  await server.stop();
  t.equal(await findServerProcess(configPathOf(folder)), null);
  t.equal(await probeServer({ host: HOST, port }), null);
  t.equal(events.all.filter(ofType('died')).length, 0);
});

test('a killed server is restarted, and all clients reconnect', async (t) => {
  const { server, events } = await startManaged(t, join(t.testdir({}), 'bus'), await freePort());
  const shard = recordingShard(server.access.requests, FAST_REDELIVERY, false, server.access.streams);
  const worker = recordingWorker(anonymous(server));
  t.teardown(() => Promise.all([shard.bus.close(), worker.bus.close()]));
  await Promise.all([shard.events.next(ofType('ready')), worker.events.next(ofType('ready'))]);
  for (let round = 1; round <= 3; round += 1) {
    const from = [events.all, shard.events.all, worker.events.all].map((all) => all.length);
    t.match(await worker.bus.reportStatus(statusOf(round)), { type: 'stored' });
    const { pid } = [...events.all].filter(isStarted).at(-1) ?? { pid: 0 };
    process.kill(pid, 'SIGKILL');
    t.match(await events.next(ofType('died'), from[0]), { pid, code: null, signal: 'SIGKILL' });
    t.match(await events.next(ofType('restarting'), from[0]), { inMs: Number });
    const again = await events.next(isStarted, from[0]);
    t.not(again.pid, pid);
    await shard.events.next(ofType('ready'), from[1]);
    await worker.events.next(ofType('ready'), from[2]);
    const delivery = await shard.statuses.next(({ message }) => message.task_id === taskOf(round));
    delivery.acknowledge();
  }
});

test('a server of a killed owner is adopted with its streams and connections', async (t) => {
  const folder = join(t.testdir({}), 'bus');
  const port = await freePort();
  const { owner, pid } = await startOwner(t, folder, port);
  const worker = recordingWorker({ servers: [`${HOST}:${port}`], isTls: false });
  t.teardown(() => worker.bus.close());
  await worker.events.next(ofType('ready'));
  await kill(owner);

  const { server, events, started } = await startManaged(t, folder, port);
  t.same(started, { type: 'started', pid, version: server.version, isAdopted: true });
  t.equal(worker.events.all.filter(ofType('disconnected')).length, 0, 'the worker stayed connected');

  process.kill(pid, 'SIGKILL');
  t.match(await events.next(ofType('died')), { pid, code: null, signal: null });
  const again = await events.next(
    (event): event is Extract<ManagedServerEvent, { type: 'started' }> =>
      isStarted(event) && !event.isAdopted,
  );
  t.not(again.pid, pid);
  await server.stop();
  t.equal(await findServerProcess(configPathOf(folder)), null);
});

test('a leftover server with another configuration is replaced', async (t) => {
  const folder = join(t.testdir({}), 'bus');
  const [port, otherPort] = [await freePort(), await freePort()];
  const { owner, pid } = await startOwner(t, folder, port);
  await kill(owner);
  const { started } = await startManaged(t, folder, otherPort);
  t.equal(started.isAdopted, false);
  t.not(started.pid, pid);
  t.equal(await probeServer({ host: HOST, port }), null);
  t.match(await probeServer({ host: HOST, port: otherPort }), { jetstream: true });
});

test('an adopted server is stopped with the service', async (t) => {
  const folder = join(t.testdir({}), 'bus');
  const port = await freePort();
  const { owner } = await startOwner(t, folder, port);
  await kill(owner);
  const { server, events, started } = await startManaged(t, folder, port);
  t.equal(started.isAdopted, true);
  await server.stop();
  t.equal(await probeServer({ host: HOST, port }), null);
  t.equal(await findServerProcess(configPathOf(folder)), null);
  t.equal(events.all.filter(ofType('died')).length, 0);
});

test('a used address is reported with the process that uses it', async (t) => {
  const other = await NatsServer.start();
  t.teardown(() => other.stop());
  const folder = join(t.testdir({}), 'bus');
  const start = (port: number) =>
    startManagedServer(
      { folder, listen: { host: HOST, port }, binaryPath: '', authentication: null },
      () => undefined,
    );
  await t.rejects(start(other.port), {
    name: 'ManagedServerError',
    message: new RegExp(
      `^bus\\.addr 127\\.0\\.0\\.1:${other.port} is taken by another NATS server \\(.+, version 2\\..+\\): choose another address with bus\\.addr, or use that server with bus\\.url\\.$`,
    ),
  });
  const silent = createServer((socket) => socket.end('HTTP/1.1 400\r\n\r\n'));
  silent.listen(0, HOST);
  await once(silent, 'listening');
  t.teardown(() => silent.close());
  const address = silent.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await t.rejects(start(port), {
    message: new RegExp(`^bus\\.addr 127\\.0\\.0\\.1:${port} is taken by another program:`),
  });
  await t.rejects(
    startManagedServer(
      { folder, listen: { host: '192.0.2.1', port }, binaryPath: '', authentication: null },
      () => undefined,
    ),
    { message: `bus.addr 192.0.2.1:${port}: this address cannot be listened on (EADDRNOTAVAIL)` },
  );
  t.equal(await findServerProcess(configPathOf(folder)), null);
});

test('a failed restart is retried', async (t) => {
  const port = await freePort();
  const { events, started } = await startManaged(t, join(t.testdir({}), 'bus'), port);
  const thief = createServer();
  const steal = new Promise<void>((resolve) => {
    const attempt = (): void => {
      thief.listen(port, HOST);
    };
    thief.once('listening', resolve);
    thief.on('error', () => setImmediate(attempt));
    attempt();
  });
  process.kill(started.pid, 'SIGKILL');
  await steal;
  t.match(await events.next(ofType('failed')), { reason: /is taken by another program|did not start/ });
  thief.close();
  const again = await events.next((event) => isStarted(event) && event.pid !== started.pid);
  t.match(again, { type: 'started', isAdopted: false });
});

test('a missing, outdated or wrong program is rejected with one line', async (t) => {
  const folder = t.testdir({
    'old.sh': '#!/bin/sh\necho nats-server: v2.8.4\n',
    'odd.sh': '#!/bin/sh\necho hello\n',
    'plain.txt': '',
  });
  const start = (binaryPath: string) =>
    startManagedServer(
      { folder: join(folder, 'bus'), listen: { host: HOST, port: 1 }, binaryPath, authentication: null },
      () => undefined,
    );
  for (const name of ['old.sh', 'odd.sh']) chmodSync(join(folder, name), 0o755);
  await t.rejects(start(join(folder, 'old.sh')), {
    message: `${join(folder, 'old.sh')} is version 2.8.4: version 2.9 or newer is needed`,
  });
  await t.rejects(start(join(folder, 'odd.sh')), {
    message: `${join(folder, 'odd.sh')} printed no version but "hello"`,
  });
  await t.rejects(start(join(folder, 'plain.txt')), {
    message: `bus.server_path: ${join(folder, 'plain.txt')} is not a program that can be run`,
  });
  await t.rejects(start(join(folder, 'none')), { name: 'ManagedServerError' });
});

test('of several programs on the PATH the newest is used', async (t) => {
  const program = (version: string) => `#!/bin/sh\necho nats-server: v${version}\n`;
  const folder = t.testdir({
    odd: { 'nats-probe': '#!/bin/sh\nexit 1\n' },
    old: { 'nats-probe': program('2.9.21') },
    newer: { 'nats-probe': program('2.10.3') },
    newest: { 'nats-probe': program('2.10.12') },
    same: { 'nats-probe': program('2.10.12') },
  });
  const folders = ['odd', 'old', 'newer', 'newest', 'same'].map((name) => join(folder, name));
  for (const each of folders) chmodSync(join(each, 'nats-probe'), 0o755);
  const path = process.env['PATH'];
  t.teardown(() => (process.env['PATH'] = path));
  process.env['PATH'] = folders.join(':');
  t.match(await findServerBinary('nats-probe'), {
    path: join(folder, 'newest/nats-probe'),
    version: '2.10.12',
  });
  process.env['PATH'] = folders.slice(0, 2).join(':');
  t.match(await findServerBinary('nats-probe'), {
    path: join(folder, 'old/nats-probe'),
    canSyncAlways: false,
  });
  process.env['PATH'] = folders[0];
  await t.rejects(findServerBinary('nats-probe'), { message: /odd\/nats-probe --version failed/ });
});

test('an unusable store ends the start with the message of the server', async (t) => {
  const folder = join(t.testdir({ bus: { store: 'a file instead of a folder' } }), 'bus');
  const port = await freePort();
  await t.rejects(
    startManagedServer(
      { folder, listen: { host: HOST, port }, binaryPath: '', authentication: null },
      () => undefined,
    ),
    { message: /^nats-server did not start \(exit code 1\): .*not a directory/ },
  );
});

test('a listener that is reachable from other machines causes a warning', async (t) => {
  const folder = join(t.testdir({}), 'bus');
  const events = new Recorder<ManagedServerEvent>();
  const port = await freePort();
  const server = await startManagedServer(
    { folder, listen: { host: '0.0.0.0', port }, binaryPath: '', authentication: null },
    events.add,
  );
  await server.stop();
  t.match(server.access.requests, { servers: [`${HOST}:${port}`], isTls: false });
  const warnings = events.all.filter(ofType('warning')).map(({ text }) => text);
  t.match(warnings.at(-1), new RegExp(`^the bus listens on 0\\.0\\.0\\.0:${port} without authentication`));
});

test('a released server continues with its name, and the next start adopts it', async (t) => {
  const folder = t.testdir();
  const port = await freePort();
  const first = await startManaged(t, folder, port);
  t.notOk(first.server.isAdopted);
  const name = (await probeServer({ host: HOST, port }))?.server_name;
  t.match(name, /^callsheet-[0-9a-f]{32}$/);
  await first.server.release();
  const second = await startManaged(t, folder, port);
  t.ok(second.server.isAdopted);
  t.equal(second.started.pid, first.started.pid);
  await second.server.release();
  t.ok(await stopLeftServer(folder), 'a service with another bus stops it');
  t.notOk(await stopLeftServer(folder));
  t.equal(await probeServer({ host: HOST, port }), null);
  const third = await startManaged(t, folder, port);
  t.equal((await probeServer({ host: HOST, port }))?.server_name, name, 'the name is kept with the data');
  await third.server.stop();
});
