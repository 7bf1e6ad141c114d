import fc from 'fast-check';
import { test } from 'tap';
import { readContract } from '../../../http/openapi/contract.ts';
import { SchemaSet } from '../../../http/openapi/schema-set.ts';
import { capabilityNameWrong } from '../../../src/openjd/template/capabilities.ts';
import { TEMPLATE_LIMITS } from '../../../src/openjd/template/template-limits.ts';
import { replyTo } from '../../../actors/kernel/address.ts';
import type { PoolInput } from '../../../actors/service/catalog/messages.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { UsagePoolRecord } from '../../../src/core/records/usage-pool.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import { T0, uuid } from '../kit/records.ts';

const POOL = uuid('a', 1);
const NOBODY = uuid('a', 99);

const poolRecord = (changes: Partial<UsagePoolRecord> = {}): UsagePoolRecord => ({
  version: 1,
  id: POOL,
  name: 'nuke',
  maxConcurrent: 4,
  serverHint: '',
  slot: 1,
  createdAt: T0,
  updatedAt: T0,
  ...changes,
});

const POOL_JSON = {
  id: POOL,
  name: 'nuke',
  max_concurrent: 4,
  in_use: 0,
  available: 4,
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
};

const store = (fixture: ApiFixture, ...pools: readonly UsagePoolRecord[]): void => {
  fixture.write(...pools.map((pool) => put('usagePool', keys.usagePool(pool.id), pool)));
};

const BAD_NAME =
  '/name: must have letters, digits and _ only, begin with a letter or _, and may have more such names after dots: templates accept no other names of usage pools';

void test('lists pools by name with their usage', async (t) => {
  const { api, client } = await startApi(t);
  t.same((await client.get('/api/v1/usage-pools')).body, []);
  const arnold = poolRecord({ id: uuid('a', 2), name: 'arnold', slot: 7, serverHint: 'license-1:5053' });
  const maya = poolRecord({ id: uuid('a', 3), name: 'maya', slot: 2, maxConcurrent: 1, updatedAt: T0 + 1 });
  store(api, poolRecord(), arnold, maya);
  api.tallies.set(1, 3).set(2, 5).set(3, 1);
  const list = await client.get('/api/v1/usage-pools');
  t.equal(list.status, 200);
  const expected = [
    { ...POOL_JSON, id: arnold.id, name: 'arnold', server_hint: 'license-1:5053' },
    {
      ...POOL_JSON,
      id: maya.id,
      name: 'maya',
      max_concurrent: 1,
      in_use: 5,
      available: 0,
      updated_at: '2026-11-20T10:00:00.001Z',
    },
    { ...POOL_JSON, in_use: 3, available: 1 },
  ];
  t.same(list.body, expected);
  for (const query of ['limit=1', 'offset=2', 'limit=1&offset=7', 'limit=0', 'limit=all', 'offset=-1'])
    t.same((await client.get(`/api/v1/usage-pools?${query}`)).body, expected, query);
  t.same((await client.get(`/api/v1/usage-pools/${maya.id}`)).body, expected[1]);
  const unknown = await client.get(`/api/v1/usage-pools/${NOBODY}`);
  t.match(unknown, { status: 404, body: { detail: `no usage pool ${NOBODY}` } });
  t.same(api.asked, []);
});

void test('a pool with a source has its value, age and error', async (t) => {
  const { api, client } = await startApi(t);
  const { now } = api;
  const measured = { slots: 3, at: now - 1000, until: now + 1000 };
  const stale = { slots: 3, at: now - 2000, until: now };
  const measureFailure = { since: now, reason: 'no answer within 10 s' };
  store(
    api,
    poolRecord({ measured }),
    poolRecord({ id: uuid('a', 2), name: 'old', slot: 2, measured: stale, measureFailure }),
    poolRecord({ id: uuid('a', 3), name: 'failed', slot: 3, measureFailure }),
  );
  api.tallies.set(1, 1).set(2, 1);
  const pool = async (id: string) => (await client.get(`/api/v1/usage-pools/${id}`)).body;
  t.same(await pool(POOL), {
    ...POOL_JSON,
    in_use: 1,
    available: 2,
    effective_slots: 3,
    measured_slots: 3,
    measured_at: new Date(measured.at).toISOString(),
    measured_stale: false,
  });
  const error = {
    effective_slots: 4,
    measured_error: 'no answer within 10 s',
    measured_error_since: new Date(now).toISOString(),
  };
  t.same(await pool(uuid('a', 2)), {
    ...POOL_JSON,
    id: uuid('a', 2),
    name: 'old',
    in_use: 1,
    available: 3,
    ...error,
    measured_slots: 3,
    measured_at: new Date(stale.at).toISOString(),
    measured_stale: true,
  });
  t.same(await pool(uuid('a', 3)), { ...POOL_JSON, id: uuid('a', 3), name: 'failed', ...error });
});

/** The settings of a pool as the catalog stores them. */
const storedInput = ({ counts = 'tasks', ...input }: PoolInput): Partial<UsagePoolRecord> => ({
  ...input,
  ...(counts !== 'tasks' && { counts }),
});

void test('a pool has what it counts; each task one slot by default', async (t) => {
  const { api, client } = await startApi(t);
  api.answer = ({ message }) =>
    message.type === 'pool.create'
      ? done(poolRecord(storedInput(message.input)))
      : refused('internal', 'unexpected');
  const made = (counts: unknown) =>
    client.json('POST', '/api/v1/usage-pools', { name: 'nuke', max_concurrent: 4, counts });
  for (const counts of ['amounts', 'hosts']) t.match(await made(counts), { status: 201, body: { counts } });
  t.notMatch((await made('tasks')).body, { counts: String });
  t.match(await made('cores'), { status: 400, body: { errors: [{ pointer: '/counts' }] } });
});

void test('a pool is created by the catalog', async (t) => {
  const { api, client } = await startApi(t);
  api.answer = ({ message }) =>
    message.type === 'pool.create'
      ? done(poolRecord({ ...storedInput(message.input), slot: 3 }))
      : refused('internal', 'unexpected');
  api.tallies.set(3, 0);
  const made = await client.json('POST', '/api/v1/usage-pools', {
    name: 'nuke',
    max_concurrent: 4,
    server_hint: 'license-1',
    in_use: 'many',
    available: -1,
    id: 'mine',
    unknown: { deep: true },
  });
  t.equal(made.status, 201);
  t.same(made.body, { ...POOL_JSON, server_hint: 'license-1' });
  t.equal(made.headers['location'], `/api/v1/usage-pools/${POOL}`);
  const least = await client.json('POST', '/api/v1/usage-pools', { name: 'maya', max_concurrent: 1 });
  t.same(least.body, { ...POOL_JSON, name: 'maya', max_concurrent: 1, available: 1 });
  const to = { actor: 'catalog', id: 'catalog' };
  t.same(api.asked, [
    {
      ...to,
      message: {
        type: 'pool.create',
        input: { name: 'nuke', maxConcurrent: 4, serverHint: 'license-1' },
        replyTo: replyTo('front'),
      },
    },
    {
      ...to,
      message: {
        type: 'pool.create',
        input: { name: 'maya', maxConcurrent: 1, serverHint: '' },
        replyTo: replyTo('front'),
      },
    },
  ]);

  api.answer = () => refused('conflict', 'a usage pool named "nuke" already exists');
  const again = await client.json('POST', '/api/v1/usage-pools', { name: 'NUKE', max_concurrent: 1 });
  t.match(again, {
    status: 409,
    body: {
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      detail: 'a usage pool named "nuke" already exists',
    },
  });
});

void test('the catalog accepts the names of pools that templates accept', async (t) => {
  const check = new SchemaSet(readContract()).check({ $ref: 'callsheet#/$defs/UsagePoolInput' });
  const isAccepted = (name: string): boolean => check({ name, max_concurrent: 1 }).length === 0;
  const isInTemplates = (name: string): boolean =>
    capabilityNameWrong(`amount.worker.usagepool.${name}`, 'amount', TEMPLATE_LIMITS.maxCapabilityName) ===
    null;
  for (const name of ['nuke', 'NUKE_x', 'nuke.render', '_1', 'a'.repeat(76)]) t.ok(isAccepted(name), name);
  for (const name of [
    'nuke-licence',
    'nuke render',
    '1st',
    '.nuke',
    'nuke.',
    'nuke..x',
    'nukü',
    '',
    'a'.repeat(77),
  ])
    t.notOk(isAccepted(name), name);
  const part = fc.oneof(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,9}$/), fc.string({ maxLength: 3 }));
  const names = fc.oneof(
    part,
    fc.array(part, { maxLength: 9 }).map((parts) => parts.join('.')),
  );
  let accepted = 0;
  fc.assert(
    fc.property(names, (name) => {
      if (isAccepted(name)) accepted++;
      return isAccepted(name) === isInTemplates(name);
    }),
    { numRuns: 2000 },
  );
  t.ok(accepted > 100, `${accepted} random names were accepted`);
});

void test('a pool is replaced completely, and deleted', async (t) => {
  const { api, client } = await startApi(t);
  const path = `/api/v1/usage-pools/${POOL}`;
  const body = { name: 'nuke', max_concurrent: 9 };
  t.match(await client.json('PUT', path, body), { status: 404, body: { detail: `no usage pool ${POOL}` } });
  t.match(await client.send('DELETE', path), { status: 404, body: { detail: `no usage pool ${POOL}` } });
  t.same(api.asked, []);

  store(api, poolRecord({ serverHint: 'license-1' }));
  api.tallies.set(1, 2);
  api.answer = ({ message }) =>
    message.type === 'pool.replace'
      ? done(poolRecord({ ...storedInput(message.input), updatedAt: T0 + 1 }))
      : done(null);
  const replaced = await client.json('PUT', path, { ...POOL_JSON, ...body });
  t.equal(replaced.status, 200);
  t.same(replaced.body, {
    ...POOL_JSON,
    max_concurrent: 9,
    in_use: 2,
    available: 7,
    updated_at: '2026-11-20T10:00:00.001Z',
  });
  t.match(await client.send('DELETE', path), { status: 204, text: '' });
  const to = { actor: 'catalog', id: 'catalog' };
  t.same(api.asked, [
    {
      ...to,
      message: {
        type: 'pool.replace',
        poolId: POOL,
        input: { name: 'nuke', maxConcurrent: 9, serverHint: '' },
        replyTo: replyTo('front'),
      },
    },
    { ...to, message: { type: 'pool.delete', poolId: POOL, replyTo: replyTo('front') } },
  ]);

  api.answer = () => refused('conflict', 'taken');
  t.equal((await client.json('PUT', path, body)).status, 409);
  api.answer = () => refused('not-found', 'deleted meanwhile');
  t.equal((await client.json('PUT', path, body)).status, 404);
  t.equal((await client.send('DELETE', path)).status, 404);
});

void test('errors in a pool have pointers', async (t) => {
  const { api, client } = await startApi(t);
  store(api, poolRecord());
  const good = { name: 'nuke', max_concurrent: 1 };
  const cases: [unknown, string][] = [
    [{}, '/name: is required; /max_concurrent: is required'],
    [{ max_concurrent: 1 }, '/name: is required'],
    [{ name: 'nuke' }, '/max_concurrent: is required'],
    [{ ...good, max_concurrent: 0 }, '/max_concurrent: must be >= 1'],
    [{ ...good, max_concurrent: -1 }, '/max_concurrent: must be >= 1'],
    [{ ...good, max_concurrent: 1.5 }, '/max_concurrent: must be integer'],
    [{ ...good, max_concurrent: '4' }, '/max_concurrent: must be integer'],
    [{ ...good, max_concurrent: null }, '/max_concurrent: must be integer'],
    [{ ...good, max_concurrent: 2 ** 31 }, '/max_concurrent: must be <= 2147483647'],
    [{ ...good, name: '' }, BAD_NAME],
    [{ ...good, name: ' ' }, BAD_NAME],
    [{ ...good, name: 'a\nb' }, BAD_NAME],
    [{ ...good, name: 7 }, '/name: must be string'],
    [{ ...good, name: 'nuke-licence' }, BAD_NAME],
    [{ ...good, name: 'x'.repeat(77) }, '/name: must NOT have more than 76 characters'],
    [{ ...good, server_hint: 5 }, '/server_hint: must be string'],
    [{ ...good, server_hint: 'x'.repeat(8001) }, '/server_hint: must NOT have more than 8000 characters'],
    [[], ': must be object'],
    [null, ': must be object'],
  ];
  for (const [method, path] of [
    ['POST', '/api/v1/usage-pools'],
    ['PUT', `/api/v1/usage-pools/${POOL}`],
  ] as const) {
    for (const [body, detail] of cases) {
      const answer = await client.json(method, path, body);
      const what = `${method} ${JSON.stringify(body).slice(0, 60)}`;
      t.equal(answer.status, 400, what);
      t.equal((answer.body as { detail: string }).detail, detail, what);
    }
  }
  t.match(await client.send('POST', '/api/v1/usage-pools', { body: '{}' }), { status: 415 });
  const allowed = { status: 405, headers: { allow: /GET/ } };
  t.match(await client.json('PATCH', `/api/v1/usage-pools/${POOL}`, good), allowed);
  t.same(api.asked, []);
});
