import { nkeys } from '@nats-io/transport-node';
import { test } from 'tap';
import { anonymousReach } from '../../../src/adapters/nats/anonymous-check.ts';
import { visitBus } from '../../../src/adapters/nats/bus-visit.ts';
import { configuredServers } from '../../../src/adapters/nats/server-address.ts';
import { freePort, NatsServer } from '../../kit/nats-server.ts';

/** Checks of real servers with different permissions. */

const SERVICE = '{ user: service, password: secret }';
const accounts = (...stranger: string[]): string[] => [
  'accounts {',
  `  FARM { users: [ ${SERVICE} ] }`,
  `  OTHER { users: [ { user: anyone, password: x } ] }`,
  '}',
  ...stranger,
];
const sameAccount = (permissions: string): string[] => [
  'accounts {',
  `  FARM { users: [ ${SERVICE}, { user: anyone, password: x, permissions: ${permissions} } ] }`,
  '}',
  'no_auth_user: anyone',
];

const withUser = (port: number, user = 'service:secret@') =>
  configuredServers([`nats://${user}127.0.0.1:${port}`], null);

const CASES: readonly [
  title: string,
  config: readonly string[],
  reach: readonly [boolean, boolean, boolean],
][] = [
  ['no authentication', [], [true, true, true]],
  ['users only', [`authorization { users: [ ${SERVICE} ] }`], [false, false, false]],
  ['strangers in an account of their own', accounts('no_auth_user: anyone'), [false, false, false]],
  ['accounts without strangers', accounts(), [false, false, false]],
  [
    'strangers with the subjects of workers',
    sameAccount('{ publish: ["worker.diag.*"], subscribe: ["_INBOX.*.*"] }'),
    [true, true, false],
  ],
  [
    'strangers with an inbox of one name',
    sameAccount('{ publish: ["worker.diag.*"], subscribe: ["_INBOX.a.*"] }'),
    [true, false, false],
  ],
  [
    'strangers that only read',
    sameAccount('{ publish: { deny: [">"] }, subscribe: [">"] }'),
    [false, true, false],
  ],
];

for (const [title, config, [canWork, canReadReplies, canAnswer]] of CASES) {
  test(`the reach of a client without credentials is found: ${title}`, async (t) => {
    const server = await NatsServer.start(config);
    t.teardown(() => server.stop());
    t.same(await anonymousReach(withUser(server.port, title === 'no authentication' ? '' : undefined)), {
      canWork,
      canReadReplies,
      canAnswer,
    });
  });
}

test('a bus that the service cannot use has no result', async (t) => {
  await t.rejects(anonymousReach(withUser(await freePort())), /refused/i);
  const server = await NatsServer.start([`authorization { users: [ ${SERVICE} ] }`]);
  t.teardown(() => server.stop());
  await t.rejects(anonymousReach(withUser(server.port, 'service:wrong@')), /authorization/i);
});

test('a visit reports the server, and the subjects of others that it allows', async (t) => {
  const server = await NatsServer.start(
    sameAccount('{ publish: ["worker.diag.*"], subscribe: ["_INBOX.*.*", "work.lease.>"] }'),
  );
  t.teardown(() => server.stop());
  t.match(await visitBus(withUser(server.port)), {
    ok: true,
    server: `127.0.0.1:${server.port}`,
    version: /^2\./,
    isEncrypted: false,
    permitted: ['>', '_INBOX.>', '_INBOX.*.*', 'work.lease.>', 'task.status.>'],
  });
  t.match(await visitBus(withUser(server.port, '')), {
    ok: true,
    permitted: ['_INBOX.*.*', 'work.lease.>'],
  });
  t.match(await visitBus(withUser(server.port, 'service:wrong@')), {
    ok: false,
    reason: /authorization/i,
  });
  t.match(await visitBus(withUser(await freePort())), { ok: false, reason: /refused/i });
});

test('a visit proves the identity of a credential', async (t) => {
  const known = nkeys.createUser();
  const server = await NatsServer.start([
    `authorization { users: [ { nkey: ${known.getPublicKey()}, permissions: { subscribe: ["_INBOX.w.>"] } } ] }`,
  ]);
  t.teardown(() => server.stop());
  const credentialOf = (user: typeof known) => ({
    seed: new TextDecoder().decode(user.getSeed()),
    jwt: null,
    ca: null,
  });
  t.match(await visitBus({ ...withUser(server.port, ''), identity: credentialOf(known) }), {
    ok: true,
    permitted: [],
  });
  t.match(await visitBus({ ...withUser(server.port, ''), identity: credentialOf(nkeys.createUser()) }), {
    ok: false,
    reason: /authorization/i,
  });
});
