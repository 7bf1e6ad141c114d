import { test } from 'tap';
import { replyTo } from '../../../actors/kernel/address.ts';
import { readContract } from '../../../http/openapi/contract.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { STORAGE_LIMITS, type StorageLocationRecord } from '../../../src/core/records/storage-location.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import { T0, uuid } from '../kit/records.ts';

const STORAGE = uuid('a', 1);
const LIST = '/api/v1/storage-locations';
const PATH = `${LIST}/${STORAGE}`;

const storageRecord = (changes: Partial<StorageLocationRecord> = {}): StorageLocationRecord => ({
  version: 1,
  id: STORAGE,
  name: 'projects',
  description: 'all shows',
  roots: [
    { place: 'default', root: '/mnt/projects' },
    { place: 'berlin', root: 's3://bucket/projects' },
  ],
  createdAt: T0,
  updatedAt: T0,
  ...changes,
});

const STORAGE_JSON = {
  id: STORAGE,
  name: 'projects',
  description: 'all shows',
  roots: { default: '/mnt/projects', berlin: 's3://bucket/projects' },
  type: 'mixed',
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
};

const store = (fixture: ApiFixture, ...locations: readonly StorageLocationRecord[]): void => {
  fixture.write(...locations.map((each) => put('storageLocation', keys.storageLocation(each.id), each)));
};

void test('lists storage locations by name with their types', async (t) => {
  const { api, client } = await startApi(t);
  t.same((await client.get(LIST)).body, []);
  const cache = storageRecord({
    id: uuid('a', 2),
    name: 'cache',
    description: '',
    roots: [{ place: 'rome', root: 's3://cache' }],
    updatedAt: T0 + 1,
  });
  const bare = storageRecord({ id: uuid('a', 3), name: 'Bare', roots: [] });
  store(api, storageRecord(), cache, bare);
  const expected = [
    { ...STORAGE_JSON, id: bare.id, name: 'Bare', roots: {}, type: 'filesystem' },
    {
      ...STORAGE_JSON,
      id: cache.id,
      name: 'cache',
      description: '',
      roots: { rome: 's3://cache' },
      type: 's3',
      updated_at: '2026-11-20T10:00:00.001Z',
    },
    STORAGE_JSON,
  ];
  for (const query of ['', '?limit=1', '?offset=2', '?limit=0&offset=-1'])
    t.strictSame((await client.get(`${LIST}${query}`)).body, expected, query);
  t.strictSame((await client.get(PATH)).body, STORAGE_JSON);
  const unknown = await client.get(`${LIST}/${uuid('a', 99)}`);
  t.match(unknown, { status: 404, body: { detail: `no storage location ${uuid('a', 99)}` } });
  t.same(api.asked, []);
});

void test('a storage location is created by the catalog', async (t) => {
  const { api, client } = await startApi(t);
  api.answer = ({ message }) =>
    message.type === 'storage.create'
      ? done(storageRecord(message.input))
      : refused('internal', 'unexpected');
  const { name, description, roots } = STORAGE_JSON;
  const made = await client.json('POST', LIST, { name, description, roots, unknown: { deep: true } });
  t.equal(made.status, 201);
  t.strictSame(made.body, STORAGE_JSON);
  t.equal(made.headers['location'], PATH);
  const least = await client.json('POST', LIST, { name: 'projects' });
  t.same(least.body, { ...STORAGE_JSON, description: '', roots: {}, type: 'filesystem' });
  const oddText = '{"name":"projects","roots":{"__proto__":"/a","constructor":"/b"}}';
  const odd = await client.send('POST', LIST, {
    body: oddText,
    headers: { 'content-type': 'application/json' },
  });
  t.match(odd.text, '"roots":{"__proto__":"/a","constructor":"/b"}');
  const create = (input: object) => ({
    actor: 'catalog',
    id: 'catalog',
    message: { type: 'storage.create', input, replyTo: replyTo('front') },
  });
  t.same(api.asked, [
    create({ name, description, roots: storageRecord().roots }),
    create({ name, description: '', roots: [] }),
    create({
      name,
      description: '',
      roots: [
        { place: '__proto__', root: '/a' },
        { place: 'constructor', root: '/b' },
      ],
    }),
  ]);
  api.answer = () => refused('conflict', 'there is one');
  t.match(await client.json('POST', LIST, { name }), {
    status: 409,
    body: { type: 'about:blank', title: 'Conflict', status: 409, detail: 'there is one' },
  });
});

void test('a storage location is replaced completely, and deleted', async (t) => {
  const { api, client } = await startApi(t);
  const detail = `no storage location ${STORAGE}`;
  t.match(await client.json('PUT', PATH, { name: 'a' }), { status: 404, body: { detail } });
  t.match(await client.send('DELETE', PATH), { status: 404, body: { detail } });
  t.same(api.asked, []);

  store(api, storageRecord());
  api.answer = ({ message }) =>
    message.type === 'storage.replace'
      ? done(storageRecord({ ...message.input, updatedAt: T0 + 1 }))
      : done(null);
  const replaced = await client.json('PUT', PATH, { name: 'shows' });
  t.equal(replaced.status, 200);
  t.same(replaced.body, {
    ...STORAGE_JSON,
    name: 'shows',
    description: '',
    roots: {},
    type: 'filesystem',
    updated_at: '2026-11-20T10:00:00.001Z',
  });
  t.match(await client.send('DELETE', PATH), { status: 204, text: '' });
  const to = { actor: 'catalog', id: 'catalog' };
  t.same(api.asked, [
    {
      ...to,
      message: {
        type: 'storage.replace',
        storageId: STORAGE,
        input: { name: 'shows', description: '', roots: [] },
        replyTo: replyTo('front'),
      },
    },
    { ...to, message: { type: 'storage.delete', storageId: STORAGE, replyTo: replyTo('front') } },
  ]);

  api.answer = () => refused('conflict', 'taken');
  t.equal((await client.json('PUT', PATH, { name: 'a' })).status, 409);
  api.answer = () => refused('not-found', 'deleted meanwhile');
  t.equal((await client.json('PUT', PATH, { name: 'a' })).status, 404);
  t.equal((await client.send('DELETE', PATH)).status, 404);
});

void test('errors in a storage location have pointers', async (t) => {
  const { api, client } = await startApi(t);
  store(api, storageRecord());
  const many = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`p${at}`, '/a']));
  const relative = 'must be an absolute path (/mnt/a, C:\\a or \\\\server\\share) or s3://bucket[/prefix]';
  const typed = '/type: must not be given, it is worked out from the roots';
  const cases: [unknown, string][] = [
    [{}, '/name: is required'],
    [{ name: ' ' }, '/name: must not be blank or hold control characters'],
    [{ name: 7 }, '/name: must be string'],
    [{ name: 'a', description: 1 }, '/description: must be string'],
    [{ name: 'a', type: 'filesystem' }, typed],
    [{ name: 'a', type: null }, typed],
    [{ name: 'a', type: 7 }, typed],
    [{ name: 'a', roots: null }, '/roots: must be object'],
    [{ name: 'a', roots: ['/mnt'] }, '/roots: must be object'],
    [{ name: 'a', roots: { default: null } }, '/roots/default: must be string'],
    [{ name: 'a', roots: many }, '/roots: must NOT have more than 1000 properties'],
    [{ name: 'a', roots: { default: 'mnt' } }, `/roots/default: ${relative}`],
    [
      { name: 'a', roots: { default: 's3:/b', rome: '/ok', 'x~y': '' } },
      `/roots/default: must be s3://bucket[/prefix]; /roots/x~0y: ${relative}`,
    ],
    [
      { name: 'a', roots: { 'a/b': '/mnt' } },
      '/roots/a~1b: the name of a compute location must not be empty or hold whitespace, slashes, quote or control characters',
    ],
    [[], ': must be object'],
    [null, ': must be object'],
  ];
  for (const [method, path] of [
    ['POST', LIST],
    ['PUT', PATH],
  ] as const) {
    for (const [body, detail] of cases) {
      const answer = await client.json(method, path, body);
      const what = `${method} ${JSON.stringify(body).slice(0, 60)}`;
      t.equal(answer.status, 400, what);
      t.equal((answer.body as { detail: string }).detail, detail, what);
    }
  }
  const worst = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`p${at}`, 'mnt']));
  const answer = await client.json('POST', LIST, { name: 'a', roots: worst });
  t.equal((answer.body as { errors: readonly unknown[] }).errors.length, 20);
  t.match(await client.json('PATCH', PATH, { name: 'a' }), { status: 405 });
  t.same(api.asked, []);
});

void test('the contract and the catalog have the same limits', (t) => {
  t.match(readContract().schemas['StorageRoots'], {
    maxProperties: STORAGE_LIMITS.roots,
    additionalProperties: { maxLength: STORAGE_LIMITS.rootLength },
  });
  t.end();
});
