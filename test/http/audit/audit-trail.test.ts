import { test, type Test } from 'tap';
import type { Role } from '../../../src/core/access/permissions.ts';
import { randomSecrets } from '../../../src/adapters/identity/random-secrets.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { UserRecord } from '../../../src/core/records/user.ts';
import { ApiFixture, AUTH_OFF, startForBrowsers } from '../kit/api-fixture.ts';
import type { Client } from '../kit/client.ts';
import { farmRecord, T0 } from '../kit/records.ts';

const SECRETS = { admin: 'svc_key-of-the-admin', reader: 'svc_key-of-the-reader' };

const userOf = (id: string, role: Role): UserRecord => ({
  version: 1,
  id,
  username: id,
  displayName: '',
  role,
  disabled: false,
  authSource: 'local',
  externalId: null,
  passwordHash: null,
  createdAt: T0,
  updatedAt: T0,
});

/** The REST API with authentication, an administrator and a reader. */
async function startAudited(t: Test) {
  const { api, client } = await startForBrowsers(t, {}, {}, { ...AUTH_OFF, enabled: true });
  for (const [id, role] of [
    ['admin', 'admin'],
    ['reader', 'read-only'],
  ] as const) {
    const key = {
      version: 1,
      id: `key-${id}`,
      userId: id,
      name: 'k',
      prefix: 'svc_',
      expiresAt: null,
      createdAt: T0,
      lastUsedAt: T0,
      revokedAt: null,
    } as const;
    api.write(
      put('user', keys.user(id), userOf(id, role)),
      put('username', keys.username(id), { version: 1, userId: id }),
      put('apiKey', keys.apiKey(randomSecrets.digest(SECRETS[id])), key),
    );
  }
  return { api, client };
}

const json = (
  client: Client,
  method: string,
  path: string,
  body: object | undefined,
  headers: Readonly<Record<string, string>> = {},
) =>
  client.send(
    method,
    path,
    body === undefined
      ? { headers }
      : { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) },
  );

const as = (who: keyof typeof SECRETS) => ({ authorization: `Bearer ${SECRETS[who]}` });

void test('denied requests are recorded with the reason and the sender, and logged', async (t) => {
  const { api, client } = await startAudited(t);
  await client.get('/api/v1/farms?secret=1');
  await client.get('/api/v1/farms', { authorization: 'Bearer svc_wrong' });
  // Not an operation of the contract.
  (await client.open('GET', '/api/v1/unknown', { headers: { cookie: 'svc_session=wrong' } })).resume();
  await json(client, 'DELETE', '/api/v1/farms/f1', undefined, as('reader'));
  await api.until(() => api.audited.length === 4);
  const common = { outcome: 'denied', remoteAddress: '127.0.0.1', dropped: 0 };
  t.match(api.audited, [
    {
      ...common,
      actor: '',
      actorId: null,
      method: 'GET',
      path: '/api/v1/farms',
      operation: 'listFarms',
      permission: 'infra.read',
      status: 401,
      reason: 'there was no credential',
    },
    { ...common, actorId: null, reason: 'the API key was rejected' },
    {
      ...common,
      path: '/api/v1/unknown',
      operation: null,
      permission: '',
      reason: 'the session was rejected',
    },
    {
      ...common,
      actor: 'reader',
      actorId: 'reader',
      method: 'DELETE',
      permission: 'infra.manage',
      status: 403,
      reason: 'this needs the permission infra.manage; the role read-only does not have it',
      targets: ['f1'],
    },
  ]);
  const logged = api.logged.filter(({ text }) => text === 'a request was denied');
  t.match(logged, [{}, {}, {}, { level: 'warn', attributes: { actor: 'reader', status: '403' } }]);
  t.notOk(JSON.stringify([api.audited, api.logged]).includes('svc_'));
});

void test('a change is recorded with its outcome before it is answered; reads are not', async (t) => {
  const { api, client } = await startAudited(t);
  api.answer = (envelope) =>
    envelope.message.type === 'farm.create' ? done(farmRecord()) : refused('conflict', 'there are jobs');
  t.equal((await json(client, 'POST', '/api/v1/farms', { name: 'F' }, as('admin'))).status, 201);
  t.match(api.audited, [
    {
      actor: 'admin',
      actorId: 'admin',
      method: 'POST',
      operation: 'createFarm',
      permission: 'infra.manage',
      status: 201,
      outcome: 'changed',
      reason: null,
    },
  ]);
  t.equal(api.audited[0]?.targets.length, 1, 'the new farm');
  await client.get('/api/v1/farms', as('admin'));
  await json(client, 'POST', '/api/v1/farms', { name: 7 }, as('admin'));
  t.equal(api.audited.length, 1, 'reads and invalid requests change nothing');
  t.equal((await json(client, 'DELETE', '/api/v1/farms/f9', undefined, as('admin'))).status, 404);
  t.match(api.audited[1], { status: 404, outcome: 'failed', targets: ['f9'] });
});

void test('a change that cannot be recorded is answered with 500', async (t) => {
  const { api, client } = await startAudited(t);
  api.answer = () => done(farmRecord());
  api.storesAudit = false;
  const answer = await json(client, 'POST', '/api/v1/farms', { name: 'F' }, as('admin'));
  t.match(answer, {
    status: 500,
    body: { detail: /carried out with status 201, but could not be recorded/ },
  });
  t.match(
    api.logged.filter(({ level }) => level === 'error'),
    [{ text: 'the audit log could not be written' }],
  );
});

void test('sign-ins are recorded with the account; a name that is not one is not', async (t) => {
  const { api, client } = await startAudited(t);
  for (const username of ['ADMIN', 'my secret password'])
    t.equal((await json(client, 'POST', '/api/v1/auth/login', { username, password: 'x' })).status, 401);
  await api.until(() => api.audited.length === 2);
  const common = { operation: 'login', permission: 'public', status: 401, outcome: 'denied', actorId: null };
  t.match(api.audited, [
    { ...common, actor: 'admin', reason: 'sign-in failed: check the name and the password' },
    { ...common, actor: '' },
  ]);
  t.notOk(JSON.stringify(api.audited).includes('my secret password'));
});

void test('GET /audit pages through the log, exports it, and needs an administrator', async (t) => {
  const { api, client } = await startAudited(t);
  const events = 120;
  api.write(
    ...Array.from({ length: events }, (_, number) => {
      const id = `0198a1c2-1111-7111-8111-${String(number).padStart(12, '0')}`;
      return put('auditEntry', keys.auditEntry('people', id), {
        version: 1,
        serial: number,
        actor: number % 2 === 0 ? 'ann' : 'bob',
        actorId: 'u',
        method: 'POST',
        path: '/api/v1/farms',
        operation: 'createFarm',
        permission: 'infra.manage',
        status: 201,
        outcome: 'changed',
        reason: null,
        targets: [`farm ${number}`],
        targetCount: 1,
        requestId: `r${number}`,
        remoteAddress: '10.0.0.1',
        dropped: 0,
      });
    }),
  );
  t.equal((await client.get('/api/v1/audit', as('reader'))).status, 403);
  const seen: string[] = [];
  let before = '';
  for (;;) {
    const query = before === '' ? '' : `&before=${before}`;
    const { status, body } = await client.get(`/api/v1/audit?limit=50${query}`, as('admin'));
    t.equal(status, 200);
    const { items, next } = body as { items: { request_id: string }[]; next?: string };
    seen.push(...items.map(({ request_id }) => request_id));
    if (next === undefined) break;
    before = next;
  }
  t.same(
    seen,
    Array.from({ length: events }, (_, number) => `r${events - 1 - number}`),
  );
  const { body } = await client.get('/api/v1/audit?actor=ann&limit=1', as('admin'));
  t.match(body, {
    items: [
      { at: /^2025-08-13T/, actor: 'ann', actor_id: 'u', targets: ['farm 118'], remote_addr: '10.0.0.1' },
    ],
    next: String,
  });
  const lines = await client.get('/api/v1/audit?format=ndjson&actor=bob&limit=1', as('admin'));
  t.match(lines.headers, { 'content-type': 'application/x-ndjson' });
  const exported = String(lines.text).trim().split('\n');
  t.equal(exported.length, events / 2, 'all that match');
  for (const wrong of ['before=x', 'since=yesterday', 'outcome=lost', 'format=csv', 'limit=0'])
    t.equal((await client.get(`/api/v1/audit?${wrong}`, as('admin'))).status, 400, wrong);
});

void test('without authentication nothing is recorded, and GET /audit says so', async (t) => {
  const api = new ApiFixture();
  t.equal(api.ports().audit, null);
});
