import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUser, type KeyPair } from '@nats-io/nkeys';
import { connect, jwtAuthenticator, type Authenticator } from '@nats-io/transport-node';
import { workerUser } from '../../../src/adapters/nats/authority/account-claims.ts';
import { loadBusKeys, seedOf } from '../../../src/adapters/nats/authority/bus-keys.ts';
import { workerId } from '../../../src/core/ids.ts';
import { until } from '../../kit/until.ts';
import type { BusAttack } from './bus-attack.ts';
import { submitTo } from './bus-farm.ts';
import type { ClosedBus } from './closed-bus.ts';
import { hostileJob } from './hostile-job.ts';

const DAY_MS = 86_400_000;

/** Returns the JWT of a worker that the authority of another bus has signed. */
async function issuedElsewhere(folder: string, id: string, key: KeyPair): Promise<string> {
  const { bus } = await loadBusKeys(folder);
  return workerUser(workerId(id), key.getPublicKey(), bus, Date.now() + DAY_MS);
}

const encoder = new TextEncoder();

export const ANONYMOUS_ATTACKS: readonly BusAttack<ClosedBus>[] = [
  {
    id: 'B01',
    attacker: 'isolated job (`nobody`, no capabilities)',
    action:
      'connects to the bus of its own worker, with and without TLS, and reads the credential of the worker',
    outcome: 'it gets no connection and no credential',
    proof: 'the log of the job, which runs in a real worker',
    run: async (t, { service, farm, queues, node }) => {
      const secret = join(service.folder, 'worker-spare/bus-credentials.json');
      for (const [mode, refusal] of [
        ['plain', /^closed$/m],
        ['tls', /Authorization Violation/],
      ] as const) {
        const commands = ['SUB _INBOX.> 1', 'SUB work.lease.> 2'];
        const job = await submitTo(
          farm,
          queues.isolated,
          hostileJob({ node, secret, port: service.busPort, mode, commands }),
        );
        const log = await until('the job has tried', async () => {
          const text = await service.api.log(`${job}-0-0`);
          return /^(?:closed|connected)$/m.test(text) && text;
        });
        t.match(log, /^nobody\nCapEff:\s+0{16}\n/);
        t.match(log, /Permission denied/);
        t.match(log, /^info auth=true tls=true$/m);
        t.match(log, refusal);
        t.notMatch(log, /connected/);
      }
    },
  },
  {
    id: 'B15',
    attacker: 'client without a credential',
    action:
      'connects without a user, with a password, with a token, with a key that is not known, and without TLS',
    outcome: 'it gets no connection',
    proof: 'the errors of the client',
    run: async (t, { service, eve }) => {
      const servers = [`127.0.0.1:${service.busPort}`];
      const tls = { ca: eve.credential.ca };
      const { seed } = eve.credential;
      const unknown = createUser();
      const attempts: readonly (readonly [string, object])[] = [
        ['no user', { tls }],
        ['the user of an open bus', { tls, user: 'anonymous', pass: '' }],
        ['a guessed password', { tls, user: 'admin', pass: 'admin' }],
        ['a token', { tls, token: 'csj1_guess' }],
        ['a key without a JWT', { tls, authenticator: jwtAuthenticator('', encoder.encode(seed)) }],
        [
          'an unknown key',
          { tls, authenticator: jwtAuthenticator('a.b.c', encoder.encode(seedOf(unknown))) },
        ],
      ];
      for (const [what, options] of attempts)
        await t.rejects(connect({ servers, reconnect: false, ...options }), /Authorization/i, what);
      await t.rejects(connect({ servers, reconnect: false }), 'without the authority of the bus');
    },
  },
  {
    id: 'B16',
    attacker: 'client with the JWT of a worker, but not its key',
    action: 'connects without a signature, with one of another challenge, and with one of another key',
    outcome: 'it gets no connection',
    proof: 'the errors of the client',
    run: async (t, { service, eve }) => {
      const { jwt, seed, ca } = eve.credential;
      const options = { servers: [`127.0.0.1:${service.busPort}`], reconnect: false, tls: { ca } };
      const replayed: Authenticator = () =>
        jwtAuthenticator(jwt, encoder.encode(seed))('an earlier challenge');
      const other = encoder.encode(seedOf(createUser()));
      for (const [what, authenticator] of [
        ['unsigned', jwtAuthenticator(jwt)],
        ['signature of another challenge', replayed],
        ['signature of another key', jwtAuthenticator(jwt, other)],
      ] as const)
        await t.rejects(connect({ ...options, authenticator }), /Authorization/i, what);
      const nc = await connect({ ...options, authenticator: jwtAuthenticator(jwt, encoder.encode(seed)) });
      await nc.close();
    },
  },
  {
    id: 'B17',
    attacker: 'worker of another bus',
    action:
      'connects with a credential that the authority of the other bus has signed for the id of a worker',
    outcome: 'it gets no connection',
    proof: 'the errors of the client',
    run: async (t, { service, victim, eve }) => {
      const key = createUser();
      const folder = await mkdtemp(join(tmpdir(), 'callsheet-other-bus-'));
      t.teardown(() => rm(folder, { recursive: true, force: true }));
      const jwt = await issuedElsewhere(folder, victim.id, key);
      const servers = [`127.0.0.1:${service.busPort}`];
      const authenticator = jwtAuthenticator(jwt, encoder.encode(seedOf(key)));
      const { ca } = eve.credential;
      await t.rejects(connect({ servers, reconnect: false, tls: { ca }, authenticator }), /Authorization/i);
    },
  },
];
