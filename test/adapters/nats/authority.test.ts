import { statSync } from 'node:fs';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { createUser, type KeyPair } from '@nats-io/nkeys';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { test, type Test } from 'tap';
import { accessOptions } from '../../../src/adapters/nats/access.ts';
import { seedOf } from '../../../src/adapters/nats/authority/bus-keys.ts';
import { fingerprintOf } from '../../../src/adapters/nats/authority/certificates.ts';
import { startManagedServer, type ManagedServer } from '../../../src/adapters/nats/managed-server.ts';
import { managerOf, ensureStream } from '../../../src/adapters/nats/streams.ts';
import type { ServerList } from '../../../src/adapters/nats/server-address.ts';
import { workerId } from '../../../src/core/ids.ts';
import type { BusAuthority } from '../../../src/core/ports/bus-authority.ts';
import { Recorder } from '../../kit/nats-recorder.ts';
import { freePort } from '../../kit/nats-server.ts';

const HOST = '127.0.0.1';
const ANA = workerId('01890a5d-ac96-774b-bcce-b302099a8001');
const EVE = workerId('01890a5d-ac96-774b-bcce-b302099a8002');
const TASK = '01890a5d-ac96-774b-bcce-b302099a8057-0-0';
const JOB = '01890a5d-ac96-774b-bcce-b302099a8057';
const DAY_MS = 24 * 3600 * 1000;
const DIRECT_GET = '$JS.API.DIRECT.GET.CALLSHEET_CANCEL';

let nextFolder = 1;

const startServer = async (
  t: Test,
  isAuthenticated: boolean,
  folder = join(t.testdir({}), `bus-${nextFolder++}`),
): Promise<ManagedServer> => {
  const server = await startManagedServer(
    {
      folder,
      listen: { host: HOST, port: await freePort() },
      binaryPath: '',
      authentication: isAuthenticated ? { publicUrls: [], certificates: null } : null,
    },
    () => undefined,
  );
  t.teardown(() => server.stop());
  return server;
};

const dial = async (t: Test, servers: ServerList): Promise<NatsConnection> => {
  const nc = await connect({ servers: [...servers.servers], reconnect: false, ...accessOptions(servers) });
  t.teardown(() => nc.close());
  hear(nc);
  return nc;
};

const authorityOf = ({ access }: ManagedServer): BusAuthority => {
  if (access.authority === null) throw new Error('the server has no authority');
  return access.authority;
};

const workerAccess = async (
  server: ManagedServer,
  worker: typeof ANA,
  key: KeyPair,
): Promise<ServerList> => ({
  servers: server.access.requests.servers,
  isTls: true,
  ca: authorityOf(server).caPem,
  identity: {
    seed: seedOf(key),
    jwt: await authorityOf(server).issueWorker(worker, key.getPublicKey(), Date.now() + DAY_MS),
  },
});

/** Errors that the server has reported on each connection. */
const errors = new WeakMap<NatsConnection, Recorder<string>>();

const hear = (nc: NatsConnection): void => {
  const heard = new Recorder<string>();
  errors.set(nc, heard);
  void (async () => {
    for await (const status of nc.status()) if (status.type === 'error') heard.add(status.error.message);
  })();
};

/** Resolves with the text of the next error that the server reports on the connection. */
async function refusal(nc: NatsConnection, act: () => void): Promise<string> {
  const heard = errors.get(nc);
  if (heard === undefined) throw new Error('the connection is not heard');
  const from = heard.all.length;
  act();
  return heard.next(() => true, from);
}

const makeStreams = async (t: Test, server: ManagedServer): Promise<NatsConnection> => {
  const streams = await dial(t, server.access.streams);
  const manager = await managerOf(streams);
  for (const kind of ['status', 'logs', 'cancel', 'presence'] as const)
    await ensureStream(manager, kind, null);
  return streams;
};

const messagesOf = async (streams: NatsConnection, name: string): Promise<number> =>
  (await (await jetstreamManager(streams)).streams.info(name)).state.messages;

test('files of keys and certificates are private', async (t) => {
  const folder = join(t.testdir({}), 'bus');
  await startServer(t, true, folder);
  for (const name of ['keys.json', 'operator.jwt', 'tls/ca.key', 'tls/server.key'])
    t.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
});

test('a client without credentials may use the subjects of workers, and no others', async (t) => {
  const server = await startServer(t, false);
  const streams = await makeStreams(t, server);
  const nc = await dial(t, { servers: server.access.requests.servers, isTls: false });
  for (const subject of [
    '>',
    '*',
    '_INBOX.>',
    '_INBOX.*',
    'work.>',
    'work.lease.>',
    'task.status.*',
    'worker.*',
  ])
    t.match(await refusal(nc, () => nc.subscribe(subject)), /Permissions Violation/, `subscribe ${subject}`);
  for (const subject of ['_INBOX.a.b', `task.cancel.${TASK}`, '$JS.API.STREAM.NAMES', 'service.join.x', 'x'])
    t.match(await refusal(nc, () => nc.publish(subject)), /Permissions Violation/, `publish ${subject}`);
  const stored = await nc.request(`task.status.${JOB}`, '{}');
  t.match(JSON.parse(stored.string()), { stream: 'CALLSHEET_STATUS', seq: 1 });
  t.equal((await nc.request(`${DIRECT_GET}.task.cancel.${TASK}`, '')).headers?.code, 404);
  const old = await nc.request(DIRECT_GET, JSON.stringify({ last_by_subj: `task.cancel.${TASK}` }));
  t.equal(old.headers?.code, 404);
  await t.rejects(nc.request('service.present.x', ''), /no responders/i);
  t.equal(await messagesOf(streams, 'CALLSHEET_STATUS'), 1);
});

test('the acknowledgement of a stored message cannot be sent to the API of the streams', async (t) => {
  for (const isAuthenticated of [false, true]) {
    const server = await startServer(t, isAuthenticated);
    const streams = await makeStreams(t, server);
    await jetstream(streams).publish(
      isAuthenticated ? `task.status.${JOB}.${ANA}` : `task.status.${JOB}`,
      'x',
    );
    const nc = await dial(
      t,
      isAuthenticated
        ? await workerAccess(server, EVE, createUser())
        : { servers: server.access.requests.servers, isTls: false },
    );
    const own = isAuthenticated ? `.${EVE}` : '';
    for (const reply of ['$JS.API.STREAM.PURGE.CALLSHEET_STATUS', '$JS.API.STREAM.DELETE.CALLSHEET_STATUS']) {
      nc.publish(`${DIRECT_GET}.task.cancel.none${own}`, '', { reply });
      nc.publish(`task.logs.${TASK}${own}`, '', { reply });
    }
    // The server handles the messages of a connection in order: these come back after those above.
    const inbox = isAuthenticated ? `_INBOX.${EVE}.r.1` : '_INBOX.random.1';
    const answered = new Promise((resolve) => {
      nc.subscribe(inbox, { max: 1, callback: resolve });
    });
    nc.publish(`${DIRECT_GET}.task.cancel.none${own}`, '', { reply: inbox });
    await answered;
    t.equal(await messagesOf(streams, 'CALLSHEET_STATUS'), 1);
    t.equal(await messagesOf(streams, 'CALLSHEET_LOGS'), 2, 'the messages themselves are stored');
  }
});

test('the credential of a worker allows its own subjects only', async (t) => {
  const server = await startServer(t, true);
  await makeStreams(t, server);
  const requests = await dial(t, server.access.requests);
  requests.subscribe('work.lease.*.*', { callback: (_error, message) => void message.respond('[]') });
  await requests.flush();
  const nc = await dial(t, await workerAccess(server, EVE, createUser()));
  const inbox = `_INBOX.${EVE}.random`;
  const answers: string[] = [];
  const twice = new Promise<void>((resolve) => {
    nc.subscribe(`${inbox}.*`, {
      callback: (_error, message) => {
        answers.push(message.string());
        if (answers.length === 3) resolve();
      },
    });
  });
  nc.publish(`work.lease._any.${EVE}`, '{}', { reply: `${inbox}.1` });
  nc.publish(`task.status.${JOB}.${EVE}`, '{}', { reply: `${inbox}.2` });
  nc.publish(`worker.heartbeat.${EVE}`, '{}', { reply: `${inbox}.3` });
  await twice;
  t.match(answers.join(), /CALLSHEET_STATUS.*|CALLSHEET_PRESENCE/);
  const refusedSubjects = [
    `work.lease._any.${ANA}`,
    'work.lease._any',
    `task.status.${JOB}.${ANA}`,
    `task.logs.${TASK}.${ANA}`,
    `worker.register.${ANA}`,
    `worker.heartbeat.${ANA}`,
    `worker.renew.${ANA}`,
    `task.cancel.${TASK}.${ANA}`,
    `task.cancel.${TASK}.${EVE}`,
    `_INBOX.${ANA}.x.y`,
    `_INBOX.${EVE}.x.y`,
    'service.join.1',
    '$JS.API.STREAM.NAMES',
    '$JS.API.STREAM.DELETE.CALLSHEET_LOGS',
    `${DIRECT_GET}.task.cancel.${TASK}.${ANA}`,
    DIRECT_GET,
    '$SYS.REQ.CLAIMS.UPDATE',
  ];
  for (const subject of refusedSubjects)
    t.match(await refusal(nc, () => nc.publish(subject)), /Permissions Violation/, `publish ${subject}`);
  const unheard = [
    '>',
    '*.>',
    '_INBOX.>',
    `_INBOX.${ANA}.>`,
    'work.lease.>',
    `task.cancel.*.${ANA}`,
    'task.cancel.>',
  ];
  for (const subject of [...unheard, 'service.present.*', '_SERVICE.>', '$SYS.>'])
    t.match(await refusal(nc, () => nc.subscribe(subject)), /Permissions Violation/, `subscribe ${subject}`);
});

test('a joiner may exchange its token, and nothing else', async (t) => {
  const server = await startServer(t, true);
  const authority = authorityOf(server);
  const jwt = await authority.issueJoiner('token-1', Date.now() + DAY_MS);
  const servers = { servers: server.access.requests.servers, isTls: true, ca: authority.caPem };
  const nc = await dial(t, { ...servers, identity: { seed: seedOf(createUser()), jwt } });
  const requests = await dial(t, server.access.requests);
  requests.subscribe('service.join.*', { callback: (_error, message) => void message.respond('joined') });
  await requests.flush();
  const answered = new Promise<string>((resolve) => {
    nc.subscribe('_INBOX.token-1.a', { callback: (_error, message) => resolve(message.string()) });
  });
  nc.publish('service.join.token-1', '{}', { reply: '_INBOX.token-1.a' });
  t.equal(await answered, 'joined');
  for (const subject of ['service.join.token-2', 'worker.register.x', `work.lease._any.${ANA}`])
    t.match(await refusal(nc, () => nc.publish(subject)), /Permissions Violation/, subject);
  for (const subject of ['_INBOX.>', '_INBOX.token-2.>', 'service.join.*'])
    t.match(await refusal(nc, () => nc.subscribe(subject)), /Permissions Violation/, subject);
  await t.rejects(connect({ servers: [...servers.servers], reconnect: false, tls: { ca: servers.ca } }));
});

test('a refused key is disconnected, and stays refused after a restart of the server', async (t) => {
  const folder = join(t.testdir({}), 'kept');
  const server = await startServer(t, true, folder);
  const [stolen, good] = [createUser(), createUser()];
  const access = await workerAccess(server, EVE, stolen);
  const nc = await dial(t, access);
  const other = await dial(t, await workerAccess(server, ANA, good));
  await authorityOf(server).refuse([stolen.getPublicKey()]);
  t.match(await nc.closed(), { message: /Revoked/ });
  await t.rejects(dial(t, access), /Authorization/);
  await other.flush();
  t.equal(other.isClosed(), false, 'another worker stays connected');
  await server.stop();
  const again = await startServer(t, true, folder);
  await t.rejects(dial(t, { ...access, servers: again.access.requests.servers }), /Authorization/);
  await dial(t, await workerAccess(again, ANA, good));
  await authorityOf(again).refuse([]);
});

test('credentials end, and belong to one authority', async (t) => {
  const server = await startServer(t, true);
  const key = createUser();
  const identity = {
    seed: seedOf(key),
    jwt: await authorityOf(server).issueWorker(EVE, key.getPublicKey(), Date.now() - 1000),
  };
  const servers = { servers: server.access.requests.servers, isTls: true, ca: authorityOf(server).caPem };
  await t.rejects(dial(t, { ...servers, identity }), /Authorization/);
  const foreign = await startServer(t, true);
  const jwt = await authorityOf(foreign).issueWorker(EVE, key.getPublicKey(), Date.now() + DAY_MS);
  await t.rejects(dial(t, { ...servers, identity: { ...identity, jwt } }), /Authorization/);
  await t.rejects(
    dial(t, { ...(await workerAccess(server, EVE, key)), ca: authorityOf(foreign).caPem }),
    /certificate|signature|CLOSED|self/i,
  );
  const stolenJwt = await authorityOf(server).issueWorker(
    EVE,
    createUser().getPublicKey(),
    Date.now() + DAY_MS,
  );
  await t.rejects(
    dial(t, { ...servers, identity: { ...identity, jwt: stolenJwt } }),
    /Authorization/,
    'without its key',
  );
});

test('messages in the streams survive a change of the authentication', async (t) => {
  const folder = join(t.testdir({}), 'bus');
  const open = await startServer(t, false, folder);
  await jetstream(await makeStreams(t, open)).publish(`task.logs.${TASK}`, 'line');
  await open.stop();
  const authenticated = await startServer(t, true, folder);
  t.equal(await messagesOf(await dial(t, authenticated.access.streams), 'CALLSHEET_LOGS'), 1);
  const { caPem, caFingerprint } = authorityOf(authenticated);
  t.equal(fingerprintOf(caPem), caFingerprint);
  await authenticated.stop();
  const again = await startServer(t, false, folder);
  t.equal(await messagesOf(await dial(t, again.access.streams), 'CALLSHEET_LOGS'), 1);
});
