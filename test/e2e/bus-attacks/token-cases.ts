import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, jwtAuthenticator } from '@nats-io/transport-node';
import type { Test } from 'tap';
import { joinTokenText, parseJoinToken } from '../../../src/adapters/identity/join-token-text.ts';
import type { JoinToken } from '../../../src/core/bus-identity/join-token.ts';
import { openDiskStore } from '../../kit/farm-on-disk.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startWorker } from '../../kit/daemons.ts';
import { joinWith, tokenFile } from '../../kit/worker-access.ts';
import { writerOptions } from '../../adapters/lmdb/store-kit.ts';
import type { BusAttack } from './bus-attack.ts';
import { REFUSED_BY_SERVER } from './bus-farm.ts';
import type { ClosedBus, NewToken } from './closed-bus.ts';
import { HostileClient } from './hostile-client.ts';

interface TokenView {
  readonly id: string;
  readonly status: string;
  readonly uses_left: number;
}

const parsed = (text: string): JoinToken => {
  const token = parseJoinToken(text);
  if (!token.ok) throw new Error(token.reason);
  return token.value;
};

const listOf = ({ service }: ClosedBus): Promise<readonly TokenView[]> =>
  service.api.must<TokenView[]>('GET', '/api/v1/worker-tokens');

const refused = (t: Test, token: string, reason: RegExp, what: string, farm = 'show'): Promise<unknown> =>
  t.rejects(joinWith(token, 'thief', farm), { message: reason }, what);

export const TOKEN_ATTACKS: readonly BusAttack<ClosedBus>[] = [
  {
    id: 'B18',
    attacker: 'thief of a token',
    action: 'joins with a token that is used up, revoked, or for another farm',
    outcome: 'it gets no credential; uses of a revoked token that are left admit no worker',
    proof: 'the replies, the list of tokens, the list of workers',
    run: async (t, bus) => {
      const once = await bus.token({ uses: 1 });
      const first = await joinWith(once.token, 'first', 'show');
      await refused(t, once.token, /has no uses left/, 'used up');
      await refused(t, once.token, /has no uses left/, 'again');
      const revoked = await bus.token({ uses: 9 });
      await joinWith(revoked.token, 'second', 'show');
      await bus.service.api.must('DELETE', `/api/v1/worker-tokens/${revoked.id}`);
      await refused(t, revoked.token, /is revoked/, 'revoked');
      const tokens = await listOf(bus);
      t.match(
        tokens.find(({ id }) => id === once.id),
        { status: 'used_up', uses_left: 0 },
      );
      t.match(
        tokens.find(({ id }) => id === revoked.id),
        { status: 'revoked', uses_left: 8 },
      );
      t.not(first.workerId, '');
    },
  },
  {
    id: 'B19',
    attacker: 'thief of a token',
    action: 'joins under the name of a worker that is online, and of one with a credential',
    outcome: 'it takes over no worker',
    proof: 'the replies; the workers are unchanged',
    run: async (t, bus) => {
      const { token } = await bus.token({ uses: 3 });
      await t.rejects(joinWith(token, 'victim', 'show'), { message: /named \\"victim\\" is online/ });
      await joinWith(token, 'unregistered', 'show');
      await t.rejects(joinWith(token, 'unregistered', 'show'), { message: /has not registered yet/ });
    },
  },
  {
    id: 'B20',
    attacker: 'client with a token that it has changed',
    action: 'joins with another secret, id, JWT or address, or with a damaged text',
    outcome: 'it gets no credential, and the uses of the token are unchanged',
    proof: 'the replies and the list of tokens',
    run: async (t, bus) => {
      const [one, two] = [await bus.token({ uses: 5 }), await bus.token({ uses: 5 })];
      const [token, other] = [parsed(one.token), parsed(two.token)];
      const changed = (change: Partial<JoinToken>): string => joinTokenText({ ...token, ...change });
      await refused(t, changed({ s: 'A'.repeat(43) }), /does not exist, or has expired/, 'secret');
      await refused(t, changed({ s: other.s }), /does not exist, or has expired/, 'secret of another token');
      await refused(t, changed({ i: other.i }), /no reply of the service/, 'id of another token');
      await refused(t, changed({ j: 'a.b.c' }), /unauthorized/, 'JWT');
      const [head = '', claims = '', signature = ''] = token.j.split('.');
      const body = Buffer.from(claims, 'base64url').toString('utf8').replace(token.i, other.i);
      const forged = [head, Buffer.from(body).toString('base64url'), signature].join('.');
      await refused(t, changed({ j: forged, i: other.i, s: other.s }), /unauthorized/, 'claims');
      await t.rejects(joinWith(one.token.slice(0, -9), 'thief'), { message: /incomplete or damaged/ });
      const left = (await listOf(bus)).filter(({ id }) => id === one.id || id === two.id);
      t.strictSame(
        left.map((each) => each.uses_left),
        [5, 5],
      );
    },
  },
  {
    id: 'B21',
    attacker: 'false bus',
    action: 'gives a worker a token with the fingerprint of another authority',
    outcome: 'the worker sends nothing, and exits',
    proof: 'the exit status and the log of a real worker',
    run: async (t, bus) => {
      const { token } = await bus.token();
      const other = joinTokenText({ ...parsed(token), c: 'B'.repeat(43) });
      const daemon = startWorker(bus.service, 'deceived', ['--worker-join-file=', `--join=${other}`]);
      t.equal((await daemon.ended).code, 1);
      t.match(daemon.log(), /does not have the certificate/);
      t.match(await listOf(bus).then((list) => list.find(({ id }) => id === parsed(token).i)), {
        uses_left: 1,
      });
    },
  },
  {
    id: 'B22',
    attacker: 'client with the JWT in a token',
    action: 'uses the bus with it',
    outcome: 'it can only ask for the exchange of this token',
    proof: REFUSED_BY_SERVER,
    run: async (t, bus) => {
      const [token, other] = [parsed((await bus.token()).token), parsed((await bus.token()).token)];
      const nc = await connect({
        servers: [`127.0.0.1:${bus.service.busPort}`],
        reconnect: false,
        tls: { ca: bus.eve.credential.ca },
        authenticator: jwtAuthenticator(token.j),
      });
      const client = new HostileClient(nc);
      try {
        t.strictSame(
          await client.permitted('publish', [
            ...[
              `service.join.${other.i}`,
              `worker.register.${bus.victim.id}`,
              `work.lease._any.${bus.victim.id}`,
            ],
            ...[
              `worker.renew.${bus.victim.id}`,
              `_INBOX.${other.i}.x`,
              '$JS.API.INFO',
              '$SYS.REQ.CLAIMS.UPDATE',
            ],
          ]),
          [],
        );
        t.strictSame(
          await client.permitted('subscribe', [
            '>',
            '_INBOX.>',
            `_INBOX.${other.i}.>`,
            'service.join.*',
            'task.>',
          ]),
          [],
        );
      } finally {
        await nc.close();
      }
    },
  },
  {
    id: 'B23',
    attacker: 'reader of lists, logs and the audit log',
    action: 'looks for the secrets of tokens and credentials',
    outcome: 'it finds none of them',
    proof: 'searches for the secrets in every list and log; the audit log has who created and revoked what',
    run: async (t, bus) => {
      const { service, eve } = bus;
      const made = await bus.token({ uses: 2 });
      await service.api.must('DELETE', `/api/v1/worker-tokens/${made.id}`);
      const used = readFileSync(tokenFile(service.folder), 'utf8').trim();
      const secrets = [made.token, used].flatMap((text) => [text, parsed(text).s, parsed(text).j]);
      const files = ['server.log', 'worker-spare.log', 'worker-victim.log', 'data/bus/nats-server.log'];
      const texts: Record<string, string> = Object.fromEntries(
        files.map((name) => [name, readFileSync(join(service.folder, name), 'utf8')]),
      );
      for (const path of ['worker-tokens', 'workers', 'audit?limit=1000', 'diagnostics/logs'])
        texts[path] = JSON.stringify(await service.api.must('GET', `/api/v1/${path}`));
      for (const [where, text] of Object.entries(texts)) {
        t.ok(text.length > 0, `${where} has a text`);
        for (const secret of [...secrets, eve.credential.seed, eve.credential.jwt])
          t.notOk(text.includes(secret), `${where} has no secret`);
      }
      const audit = await auditOf(bus, made);
      t.match(audit, [
        { operation: 'revokeWorkerToken', actor: 'root', outcome: 'changed', permission: 'infra.manage' },
        { operation: 'createWorkerToken', actor: 'root', outcome: 'changed', permission: 'infra.manage' },
      ]);
    },
  },
];

/** Returns the entries of the audit log about a token, latest first. */
export async function auditOf(
  { service }: ClosedBus,
  { id }: Pick<NewToken, 'id'>,
): Promise<readonly object[]> {
  const { items } = await service.api.must<{ items: readonly object[] }>('GET', `/api/v1/audit?target=${id}`);
  return items;
}

/** Makes a stored token one that has expired. The service must not run. */
export async function expireToken(folder: string, id: string): Promise<void> {
  const store = await openDiskStore(writerOptions(join(folder, 'data', 'state')));
  const token = store.get('joinToken', keys.joinToken(id));
  if (token === undefined) throw new Error(`there is no token ${id}`);
  store.commit(
    {
      version: 1,
      shard: 0,
      sequence: 1,
      changes: [put('joinToken', keys.joinToken(id), { ...token, expiresAt: Date.now() - 1 })],
    },
    { onDurable: () => undefined, onReadable: () => undefined },
  );
  store.flushAll();
  await store.close();
}
