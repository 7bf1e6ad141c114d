import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect as connectTls } from 'node:tls';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { jetstreamManager } from '@nats-io/jetstream';
import { decode } from '@nats-io/jwt';
import { test, type Test } from 'tap';
import { newClusterSecret, readClusterSecret } from '../../../src/adapters/nats/authority/cluster-secret.ts';
import { loadBusKeys } from '../../../src/adapters/nats/authority/bus-keys.ts';
import { nodeOfServer, serverReports, untilLeader } from '../../../src/adapters/nats/cluster-servers.ts';
import { BusConnection } from '../../../src/adapters/nats/connection.ts';
import type { BusEvent } from '../../../src/core/ports/bus.ts';
import { connectOnce } from '../../../src/adapters/nats/connect-once.ts';
import { startManagedServer, type ManagedServer } from '../../../src/adapters/nats/managed-server.ts';
import { until } from '../../kit/until.ts';
import { ofType, Recorder } from '../../kit/nats-recorder.ts';
import {
  clusterSkip,
  NODES,
  clusterFolder,
  planCluster,
  startNodeServer,
  type ClusterPlan,
} from '../../kit/managed-cluster.ts';

const skip = (await clusterSkip()) ?? false;
const never = new AbortController().signal;

/** Starts the servers of all nodes and waits for their leader. */
async function startAll(
  t: Test,
  plan: ClusterPlan,
  isAuthenticated = false,
): Promise<readonly [ManagedServer, ManagedServer, ManagedServer]> {
  const start = (node: 'a' | 'b' | 'c'): Promise<ManagedServer> =>
    startNodeServer(t, plan, node, isAuthenticated);
  const servers = await Promise.all([start('a'), start('b'), start('c')]);
  await settled(servers[0], plan);
  return servers;
}

async function settled({ access }: ManagedServer, { peers }: ClusterPlan): Promise<void> {
  const { streams, system } = access;
  if (system === null) throw new Error('a cluster has access to its system account');
  await untilLeader({ streams, system, peers }, never, () => undefined);
}

async function open(t: Test, server: ManagedServer, which: 'requests' | 'streams' | 'system') {
  const list = server.access[which];
  if (list === null) throw new Error('no access');
  const nc = await connectOnce(list, 'test');
  t.teardown(() => nc.close());
  return nc;
}

test('three servers form a cluster that flushes always', { skip }, async (t) => {
  const plan = await planCluster(clusterFolder(t));
  const [a, b, c] = await startAll(t, plan);
  const reports = await serverReports(await open(t, a, 'system'));
  t.same(
    reports.map(({ server }) => nodeOfServer(server.name)).toSorted((x, y) => x.localeCompare(y)),
    [...NODES],
  );
  for (const { server, data } of reports) {
    t.equal(data.config?.sync_always, true, `${server.name} flushes always`);
    t.equal(data.meta_cluster?.cluster_size, 3);
  }

  const manager = await jetstreamManager(await open(t, b, 'streams'));
  const info = await manager.streams.add({ name: 'PROOF', subjects: ['proof'], num_replicas: 3 });
  t.equal(info.cluster?.replicas?.length, 2, 'a stream has three copies');

  const anonymous = await connect({ servers: c.access.requests.servers.slice(), reconnect: false });
  t.teardown(() => anonymous.close());
  t.equal(anonymous.info?.connect_urls?.length, 3, 'clients learn the other servers');
  const requests = await open(t, a, 'requests');
  const received = new Promise<string>((resolve) => {
    requests.subscribe('worker.diag.*', { callback: (_, message) => resolve(message.string()) });
  });
  await requests.flush();
  const sendUntilReceived = setInterval(() => anonymous.publish('worker.diag.1', 'hello'), 50);
  t.equal(await received, 'hello', 'a worker on one node reaches the service on another');
  clearInterval(sendUntilReceived);
});

test('the secret stays in private files and out of arguments', { skip }, async (t) => {
  const plan = await planCluster(clusterFolder(t));
  const pids: number[] = [];
  await startNodeServer(t, plan, 'a', false, (event) => {
    if (event.type === 'started') pids.push(event.pid);
  });
  const folder = join(plan.folder, 'a');
  for (const name of ['nats-server.conf', 'tls/route.key'])
    t.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
  t.match(readFileSync(join(folder, 'nats-server.conf'), 'utf8'), plan.secret.routePassword);
  t.equal(pids.length, 1);
  const commandLine = readFileSync(`/proc/${pids[0]}/cmdline`, 'utf8');
  t.notMatch(commandLine, plan.secret.routePassword);
});

test('a route without a certificate of the cluster is refused', { skip }, async (t) => {
  const plan = await planCluster(clusterFolder(t));
  await startNodeServer(t, plan, 'a');
  const [peer] = plan.peers;
  if (peer === undefined) throw new Error('no peer');
  const ended = new Promise<void>((resolve) => {
    const socket = connectTls({ host: peer.host, port: peer.port, rejectUnauthorized: false });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
  });
  await ended;
  const log = join(plan.folder, 'a', 'nats-server.log');
  await until('the handshake fails', () =>
    readFileSync(log, 'utf8').includes("client didn't provide a certificate"),
  );
});

test('a node with another secret does not join', { skip }, async (t) => {
  const plan = await planCluster(clusterFolder(t));
  const otherFile = join(plan.folder, 'other.secret');
  writeFileSync(otherFile, await newClusterSecret(null, Date.now()), { mode: 0o600 });
  const stranger = { ...plan, secret: await readClusterSecret(otherFile) };
  const [a] = await Promise.all([
    startNodeServer(t, plan, 'a'),
    startNodeServer(t, plan, 'b'),
    startNodeServer(t, stranger, 'c'),
  ]);
  const system = await open(t, a, 'system');
  await until('two servers are connected', async () => (await serverReports(system)).length === 2);
  const log = join(plan.folder, 'c', 'nats-server.log');
  await until('the node refuses', () =>
    readFileSync(log, 'utf8').includes('certificate signed by unknown authority'),
  );
  t.equal((await serverReports(system)).length, 2);
});

test('the start says which nodes are missing, until a majority is connected', { skip }, async (t) => {
  const plan = await planCluster(clusterFolder(t));
  const notes = new Recorder<string>();
  const a = await startNodeServer(t, plan, 'a');
  const { streams, system } = a.access;
  if (system === null) throw new Error('no access');
  const waited = untilLeader({ streams, system, peers: plan.peers }, never, notes.add);
  const note = await notes.next((text) => text.includes('no connection to'));
  t.match(
    note,
    /no connection to b \(127\.0\.0\.1:\d+\), c \(127\.0\.0\.1:\d+\); at the first start of a cluster all 3/,
  );
  const b = await startNodeServer(t, plan, 'b');
  await startNodeServer(t, plan, 'c');
  await waited;

  await b.stop();
  await settled(a, plan);
  const reports = await serverReports(await open(t, a, 'system'));
  for (const { data } of reports)
    t.equal(data.meta_cluster?.cluster_size, 3, 'two servers form no cluster of two');

  const stop = new AbortController();
  stop.abort();
  await untilLeader({ streams, system, peers: plan.peers }, stop.signal, notes.add);
});

test('a connection finds the other servers when its own is lost', { skip }, async (t) => {
  const plan = await planCluster(clusterFolder(t));
  const [a] = await startAll(t, plan);
  const events = new Recorder<BusEvent>();
  const servers = { servers: a.access.requests.servers, isTls: false };
  const connection = new BusConnection(
    { servers, name: 'a worker that knows one node', redial: { msMin: 20, msMax: 40 } },
    { sessionStarted: () => undefined, sessionEnded: () => undefined, changed: events.add },
  );
  t.teardown(() => connection.close());
  await events.next(ofType('connected'));
  await a.stop();
  await events.next(ofType('disconnected'));
  await events.next((event) => event.type === 'connected' && !event.isFirst);
  t.notMatch(connection.serverFacts()?.name, /^a-/);
});

test('all servers accept the same credentials', { skip }, async (t) => {
  const plan = await planCluster(clusterFolder(t));
  const [a, b, c] = await startAll(t, plan, true);
  const { authority } = a.access;
  t.equal(authority?.caFingerprint, c.access.authority?.caFingerprint, 'join tokens name one authority');
  t.same(b.access.requests.identity?.seed, c.access.requests.identity?.seed);
  const toOther = { ...a.access.streams, servers: c.access.streams.servers };
  const nc = await connectOnce(toOther, 'test');
  t.equal(nc.info?.server_name.startsWith('c-'), true);
  await nc.close();
});

test('a restarted server learns the refused keys, and does not bring back old ones', { skip }, async (t) => {
  const plan = await planCluster(clusterFolder(t));
  const [a, , c] = await startAll(t, plan, true);
  await c.stop();
  const refused = 'UAQQG5VYFYHTBNFPQU3CV7NUGZDH2CYFVSIO6AFPQVNTLO5TMPAZSKHA';
  await a.access.authority?.refuse([refused]);
  const again = await startNodeServer(t, plan, 'c', true);
  await settled(again, plan);
  const path = (node: string): string =>
    join(plan.folder, node, 'accounts', `${plan.secret.keys.bus.getPublicKey()}.jwt`);
  const refusedOn = (node: string): boolean => {
    const token = readFileSync(path(node), 'utf8').trim();
    // The server truncates the file before it writes it.
    if (token.split('.').length !== 3) return false;
    const claims = decode<{ revocations?: Record<string, number> }>(token);
    return claims.nats.revocations?.[refused] !== undefined;
  };
  t.equal(refusedOn('a'), true);
  const system = await open(t, again, 'system');
  // The servers exchange their accounts after a start.
  await until('the refusal arrives', async () => {
    await system.flush();
    return refusedOn('c');
  });
  t.equal(refusedOn('a'), true, 'the refusal remains on the other servers');
});

test('a secret that others can read, or an invalid one, is refused', async (t) => {
  const folder = t.testdir({ 'other.json': '{"v":1}' });
  const file = join(folder, 'secret');
  writeFileSync(file, await newClusterSecret(null, Date.now()), { mode: 0o600 });
  t.ok(await readClusterSecret(file));
  chmodSync(file, 0o640);
  await t.rejects(
    readClusterSecret(file),
    /^cluster\.secret_file: .*secret can be read by other users; run: chmod 600/,
  );
  chmodSync(join(folder, 'other.json'), 0o600);
  await t.rejects(readClusterSecret(join(folder, 'other.json')), /is not the secret of a cluster/);
  await t.rejects(readClusterSecret(join(folder, 'none')), /cluster\.secret_file: .*none cannot be read/);
});

test('the secret of a single node keeps its keys, so that workers keep their credentials', async (t) => {
  const folder = t.testdir({});
  await t.rejects(newClusterSecret(folder, Date.now()), /contains no keys of a managed bus/);
  const keys = await loadBusKeys(folder);
  const file = join(folder, 'secret');
  writeFileSync(file, await newClusterSecret(folder, Date.now()), { mode: 0o600 });
  t.equal((await readClusterSecret(file)).keys.bus.getPublicKey(), keys.bus.getPublicKey());
});

test('a cluster refuses an older nats-server', async (t) => {
  const folder = clusterFolder(t);
  const program = join(folder, 'old-nats-server');
  writeFileSync(program, '#!/bin/sh\necho "nats-server: v2.14.9"\n', { mode: 0o755 });
  const plan = await planCluster(folder);
  const started = startManagedServer(
    {
      folder: join(folder, 'a'),
      listen: { host: '127.0.0.1', port: plan.ports.a },
      binaryPath: program,
      authentication: null,
      cluster: { name: 'farm', node: 'a', peers: plan.peers, secret: plan.secret },
    },
    () => undefined,
  );
  await t.rejects(started, { message: /is version 2\.14\.9: a cluster needs version 2\.15 or newer/ });
});
