import { test } from 'tap';
import { joinedCredential } from '../../../src/core/bus-identity/credentials.ts';
import { JOIN_TOKEN_LIFETIME_MS } from '../../../src/core/bus-identity/join-tokens.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { joinToken } from '../../core/bus-identity/kit.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import { T0, uuid, WORKER, workerRecord } from '../kit/records.ts';

const TOKEN = joinToken({ createdAt: T0, expiresAt: T0 + 60_000, tags: { gpu: 'rtx' } });

/** Join tokens of a bus with authentication. The secret is part of their text. */
const on = (api: ApiFixture): void => {
  api.workerTokens = { isOn: true, textOf: ({ id }, secret) => Promise.resolve(`csj1_${id}_${secret}`) };
};

void test('without authentication of the bus, every request says what to set', async (t) => {
  const { api, client } = await startApi(t);
  api.workerTokens = { isOn: false, reason: 'set bus.auth.enabled' };
  api.write(put('worker', keys.worker(WORKER), workerRecord()));
  const calls = [
    client.get('/api/v1/worker-tokens'),
    client.json('POST', '/api/v1/worker-tokens', {}),
    client.send('DELETE', `/api/v1/worker-tokens/${TOKEN.id}`),
    client.send('POST', `/api/v1/workers/${WORKER}/credential/revoke`),
  ];
  for (const { status, body } of await Promise.all(calls))
    t.match({ status, body }, { status: 409, body: { detail: 'set bus.auth.enabled' } });
  t.strictSame(api.asked, [], 'no actor was asked');
});

void test('a token is created with defaults, and its secret is neither stored nor listed', async (t) => {
  const { api, client } = await startApi(t);
  on(api);
  api.answer = () => done(TOKEN);
  const made = await client.json('POST', '/api/v1/worker-tokens', {});
  t.equal(made.status, 201);
  t.equal(made.headers['location'], `/api/v1/worker-tokens/${TOKEN.id}`);
  const [asked] = api.asked;
  t.match(asked, {
    actor: 'catalog',
    message: {
      type: 'token.create',
      input: { farmId: null, tags: {}, uses: 1, lifetimeMs: 86_400_000, createdBy: 'anonymous' },
    },
  });
  const { token, command } = made.body as { token: string; command: string };
  t.equal(command, `callsheet worker --join ${token}`);
  const secret = token.slice(`csj1_${TOKEN.id}_`.length);
  t.match(secret, /^[A-Za-z0-9_-]{43}$/);
  t.notOk(JSON.stringify(api.asked).includes(secret), 'the actor gets a digest');
  t.notOk(JSON.stringify(api.logged).includes(secret));
  api.write(put('joinToken', keys.joinToken(TOKEN.id), TOKEN));
  const list = await client.get('/api/v1/worker-tokens');
  t.match(list.body, [
    { id: TOKEN.id, status: 'active', uses_left: 1, tags: { gpu: 'rtx' }, revoked_at: null },
  ]);
  t.notMatch(JSON.stringify(list.body), /digest|secret|csj1_/);
  api.now = TOKEN.expiresAt;
  t.same((await client.get('/api/v1/worker-tokens')).body, [], 'expired ones are not listed');
});

void test('input out of range is rejected', async (t) => {
  const { api, client } = await startApi(t);
  on(api);
  const rows: readonly (readonly [object, RegExp])[] = [
    [{ uses: 0 }, /uses/],
    [{ uses: 10_001 }, /uses/],
    [{ uses: 1.5 }, /uses/],
    [{ expires_in: '59s' }, /must be from 1m to 2160h/],
    [{ expires_in: '2161h' }, /must be from 1m to 2160h/],
    [{ expires_in: '129601m' }, /must be from 1m to 2160h/],
    [{ expires_in: '7776001s' }, /must be from 1m to 2160h/],
    [{ expires_in: '0s' }, /must be from 1m to 2160h/],
    [{ expires_in: '060s' }, /without leading zeros/],
    [{ expires_in: '1d' }, /expires_in/],
    [{ expires_in: 60 }, /expires_in/],
    [{ tags: { 'a b': 'c' } }, /tags/],
    [{ tags: { a: '' } }, /tags/],
    [{ tags: { a: 'x\ny' } }, /tags/],
    [{ tags: { a: 1 } }, /tags/],
    [{ tags: Object.fromEntries(Array.from({ length: 51 }, (_, each) => [`t${each}`, 'x'])) }, /tags/],
    [{ farm_id: 7 }, /farm_id/],
  ];
  for (const [body, detail] of rows) {
    const answer = await client.json('POST', '/api/v1/worker-tokens', body);
    t.match(answer, { status: 400, body: { detail } }, JSON.stringify(body).slice(0, 60));
  }
  t.strictSame(api.asked, []);
  api.answer = () => done(TOKEN);
  const { min, max } = JOIN_TOKEN_LIFETIME_MS;
  for (const [expires_in, lifetimeMs] of [
    ['60s', min],
    ['1m', min],
    ['7776000s', max],
    ['129600m', max],
    ['2160h', max],
  ] as const) {
    t.match(await client.json('POST', '/api/v1/worker-tokens', { expires_in }), { status: 201 }, expires_in);
    t.match(api.asked.at(-1), { message: { input: { lifetimeMs } } });
  }
  api.answer = () => refused('bad-request', 'farm_id: there is no farm x');
  t.match(await client.json('POST', '/api/v1/worker-tokens', { farm_id: 'x' }), { status: 400 });
});

void test('tokens and credentials are revoked by the catalog', async (t) => {
  const { api, client } = await startApi(t);
  on(api);
  t.equal((await client.send('DELETE', `/api/v1/worker-tokens/${TOKEN.id}`)).status, 204);
  api.answer = () => refused('not-found', 'no worker token x');
  t.equal((await client.send('DELETE', '/api/v1/worker-tokens/x')).status, 404);
  t.equal((await client.send('POST', `/api/v1/workers/${uuid('e', 99)}/credential/revoke`)).status, 404);
  const worker = { workerId: WORKER, name: 'n', farmId: null };
  const key = { key: 'U', expiresAt: T0 + 60_000 };
  const credential = joinedCredential(undefined, worker, TOKEN, key, T0);
  api.write(put('worker', keys.worker(WORKER), workerRecord()));
  t.match((await client.get(`/api/v1/workers/${WORKER}`)).body, { credential: null });
  api.write(put('workerCredential', keys.workerCredential(WORKER), credential));
  const shown = {
    issued_at: '2026-11-20T10:00:00.000Z',
    expires_at: '2026-11-20T10:01:00.000Z',
    token_id: TOKEN.id,
    revoked: false,
  };
  t.match((await client.get(`/api/v1/workers/${WORKER}`)).body, { credential: shown });
  t.match((await client.get('/api/v1/workers')).body, { items: [{ credential: shown }] });
  api.answer = () => done({ ...credential, revokedAt: T0 + 1 });
  const revoked = await client.send('POST', `/api/v1/workers/${WORKER}/credential/revoke`);
  t.match(revoked, { status: 200, body: { ...shown, revoked: true } });
  t.match(api.asked.at(-1), { message: { type: 'credential.revoke', workerId: WORKER } });
});
