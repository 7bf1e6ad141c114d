import { test } from 'tap';
import { replyTo } from '../../../actors/kernel/address.ts';
import { readContract } from '../../../http/openapi/contract.ts';
import { farmId, workerId } from '../../../src/core/ids.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import {
  COMPUTE_LOCATION_NAME,
  type ComputeLocationRecord,
} from '../../../src/core/records/compute-location.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { WorkerRecord } from '../../../src/core/records/worker.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import { T0, uuid, workerRecord } from '../kit/records.ts';

const LOCATION = uuid('a', 1);
const NOBODY = uuid('a', 99);

const locationRecord = (changes: Partial<ComputeLocationRecord> = {}): ComputeLocationRecord => ({
  version: 1,
  id: LOCATION,
  name: 'berlin',
  description: 'first floor',
  createdAt: T0,
  updatedAt: T0,
  ...changes,
});

const LOCATION_JSON = {
  id: LOCATION,
  name: 'berlin',
  description: 'first floor',
  worker_count: 0,
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
};

const store = (fixture: ApiFixture, ...locations: readonly ComputeLocationRecord[]): void => {
  fixture.write(
    ...locations.map((location) => put('computeLocation', keys.computeLocation(location.id), location)),
  );
};

const storeWorkers = (fixture: ApiFixture, ...workers: readonly Partial<WorkerRecord>[]): void => {
  fixture.write(
    ...workers.map((some, at) => {
      const worker = workerRecord({ id: workerId(uuid('e', at + 1)), ...some });
      return put('worker', keys.worker(worker.id), worker);
    }),
  );
};

void test('lists locations by name with their online workers', async (t) => {
  const { api, client } = await startApi(t);
  t.same((await client.get('/api/v1/compute-locations')).body, []);
  const potsdam = locationRecord({ id: uuid('a', 2), name: 'Potsdam', description: '', updatedAt: T0 + 1 });
  const attic = locationRecord({ id: uuid('a', 3), name: 'attic' });
  const upper = locationRecord({ id: uuid('a', 4), name: 'Berlin' });
  store(api, locationRecord(), potsdam, attic, upper);
  storeWorkers(
    api,
    { computeLocation: 'berlin' },
    { computeLocation: 'berlin', farmId: farmId(uuid('f', 2)) },
    { computeLocation: 'berlin', status: 'offline' },
    { computeLocation: 'berlin', status: 'disabled' },
    { computeLocation: 'Berlin' },
    { computeLocation: 'berlin-2' },
    {},
  );
  const list = await client.get('/api/v1/compute-locations');
  t.equal(list.status, 200);
  const expected = [
    { ...LOCATION_JSON, id: upper.id, name: 'Berlin', worker_count: 1 },
    {
      ...LOCATION_JSON,
      id: potsdam.id,
      name: 'Potsdam',
      description: '',
      updated_at: '2026-11-20T10:00:00.001Z',
    },
    { ...LOCATION_JSON, id: attic.id, name: 'attic' },
    { ...LOCATION_JSON, worker_count: 2 },
  ];
  t.same(list.body, expected);
  for (const query of ['limit=1', 'offset=2', 'limit=1&offset=7', 'limit=0', 'limit=all', 'offset=-1'])
    t.same((await client.get(`/api/v1/compute-locations?${query}`)).body, expected, query);
  t.same((await client.get(`/api/v1/compute-locations/${LOCATION}`)).body, expected[3]);
  const unknown = await client.get(`/api/v1/compute-locations/${NOBODY}`);
  t.match(unknown, { status: 404, body: { detail: `no compute location ${NOBODY}` } });
  t.same(api.asked, []);
});

void test('a location is created by the catalog', async (t) => {
  const { api, client } = await startApi(t);
  api.answer = ({ message }) =>
    message.type === 'location.create'
      ? done(locationRecord(message.input))
      : refused('internal', 'unexpected');
  storeWorkers(api, { computeLocation: 'berlin' });
  const made = await client.json('POST', '/api/v1/compute-locations', {
    name: 'berlin',
    description: 'first floor',
    worker_count: 'many',
    unknown: { deep: true },
  });
  t.equal(made.status, 201);
  t.same(made.body, { ...LOCATION_JSON, worker_count: 1 });
  t.equal(made.headers['location'], `/api/v1/compute-locations/${LOCATION}`);
  const least = await client.json('POST', '/api/v1/compute-locations', { name: 'Zürich.2:a' });
  t.same(least.body, { ...LOCATION_JSON, name: 'Zürich.2:a', description: '' });
  const to = { actor: 'catalog', id: 'catalog' };
  t.same(api.asked, [
    {
      ...to,
      message: {
        type: 'location.create',
        input: { name: 'berlin', description: 'first floor' },
        replyTo: replyTo('front'),
      },
    },
    {
      ...to,
      message: {
        type: 'location.create',
        input: { name: 'Zürich.2:a', description: '' },
        replyTo: replyTo('front'),
      },
    },
  ]);
  api.answer = () => refused('conflict', 'there is one');
  t.match(await client.json('POST', '/api/v1/compute-locations', { name: 'berlin' }), {
    status: 409,
    body: { type: 'about:blank', title: 'Conflict', status: 409, detail: 'there is one' },
  });
});

void test('a location is replaced completely, and deleted', async (t) => {
  const { api, client } = await startApi(t);
  const path = `/api/v1/compute-locations/${LOCATION}`;
  const detail = `no compute location ${LOCATION}`;
  t.match(await client.json('PUT', path, { name: 'berlin' }), { status: 404, body: { detail } });
  t.match(await client.send('DELETE', path), { status: 404, body: { detail } });
  t.same(api.asked, []);

  store(api, locationRecord());
  storeWorkers(api, { computeLocation: 'potsdam' });
  api.answer = ({ message }) =>
    message.type === 'location.replace'
      ? done(locationRecord({ ...message.input, updatedAt: T0 + 1 }))
      : done(null);
  const replaced = await client.json('PUT', path, { name: 'potsdam', worker_count: 9 });
  t.equal(replaced.status, 200);
  t.same(replaced.body, {
    ...LOCATION_JSON,
    name: 'potsdam',
    description: '',
    worker_count: 1,
    updated_at: '2026-11-20T10:00:00.001Z',
  });
  t.match(await client.send('DELETE', path), { status: 204, text: '' });
  const to = { actor: 'catalog', id: 'catalog' };
  t.same(api.asked, [
    {
      ...to,
      message: {
        type: 'location.replace',
        locationId: LOCATION,
        input: { name: 'potsdam', description: '' },
        replyTo: replyTo('front'),
      },
    },
    { ...to, message: { type: 'location.delete', locationId: LOCATION, replyTo: replyTo('front') } },
  ]);

  api.answer = () => refused('conflict', 'taken');
  t.equal((await client.json('PUT', path, { name: 'berlin' })).status, 409);
  api.answer = () => refused('not-found', 'deleted meanwhile');
  t.equal((await client.json('PUT', path, { name: 'berlin' })).status, 404);
  t.equal((await client.send('DELETE', path)).status, 404);
});

void test('errors in a location have pointers', async (t) => {
  const { api, client } = await startApi(t);
  store(api, locationRecord());
  const named = `/name: ${COMPUTE_LOCATION_NAME.wrong}`;
  const names = ['', ' ', 'a b', 'a\tb', 'a\n', 'a\u00a0b', 'a/b', '/', `it's`, 'a"b', 'a`b', 'a\u0000'];
  const cases: [unknown, string][] = [
    [{}, '/name: is required'],
    ...names.map((name): [unknown, string] => [{ name }, named]),
    [{ name: 7 }, '/name: must be string'],
    [{ name: null }, '/name: must be string'],
    [{ name: 'x'.repeat(256) }, '/name: must NOT have more than 255 characters'],
    [{ name: 'a', description: 1 }, '/description: must be string'],
    [[], ': must be object'],
    [null, ': must be object'],
  ];
  for (const [method, path] of [
    ['POST', '/api/v1/compute-locations'],
    ['PUT', `/api/v1/compute-locations/${LOCATION}`],
  ] as const) {
    for (const [body, detail] of cases) {
      const answer = await client.json(method, path, body);
      const what = `${method} ${JSON.stringify(body).slice(0, 60)}`;
      t.equal(answer.status, 400, what);
      t.equal((answer.body as { detail: string }).detail, detail, what);
    }
  }
  t.match(await client.send('POST', '/api/v1/compute-locations', { body: '{}' }), { status: 415 });
  t.match(await client.json('PATCH', `/api/v1/compute-locations/${LOCATION}`, { name: 'a' }), {
    status: 405,
  });
  t.same(api.asked, []);
});

void test('the contract and the catalog accept the same names', (t) => {
  const schema = readContract().schemas['ComputeLocationInput'] as { properties: { name: object } };
  t.match(schema.properties.name, {
    maxLength: COMPUTE_LOCATION_NAME.lengthMax,
    pattern: COMPUTE_LOCATION_NAME.pattern,
    'x-pattern-text': COMPUTE_LOCATION_NAME.wrong,
  });
  t.end();
});
