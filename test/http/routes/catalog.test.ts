import { test } from 'tap';
import { replyTo } from '../../../actors/kernel/address.ts';
import { OPEN_MANAGED_BUS } from '../../../src/core/bus-identity/open-bus.ts';
import { farmId, queueId } from '../../../src/core/ids.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi } from '../kit/api-fixture.ts';
import { FARM, farmRecord, QUEUE, queueRecord, T0, uuid } from '../kit/records.ts';

const FARM_JSON = {
  id: FARM,
  name: 'main',
  description: '',
  max_concurrent_tasks: 0,
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
};
const QUEUE_JSON = {
  id: QUEUE,
  farm_id: FARM,
  name: 'day',
  description: '',
  priority: 0,
  max_concurrent_tasks: 0,
  paused: false,
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
};
const NOBODY = uuid('f', 99);

void test('lists farms oldest first, and returns single farms', async (t) => {
  const { api, client } = await startApi(t);
  t.same((await client.get('/api/v1/farms')).body, []);
  const second = farmRecord({
    id: farmId(uuid('f', 2)),
    name: 'second',
    retry: { maxAttempts: 5, failureLimit: 0 },
  });
  api.write(put('farm', keys.farm(second.id), second), put('farm', keys.farm(FARM), farmRecord()));
  const list = await client.get('/api/v1/farms?limit=1&offset=7');
  t.equal(list.status, 200);
  t.same(list.body, [
    FARM_JSON,
    { ...FARM_JSON, id: second.id, name: 'second', max_attempts: 5, failure_limit: 0 },
  ]);
  t.same((await client.get(`/api/v1/farms/${FARM}`)).body, FARM_JSON);
  t.same((await client.get(`/api/v1/farms/${FARM}/`)).body, FARM_JSON, 'ignores a trailing slash');
  t.equal((await client.get(`/api/v1/farms/${NOBODY}`)).status, 404);
});

void test('a farm is created by the catalog', async (t) => {
  const { api, client } = await startApi(t);
  api.answer = ({ message }) =>
    message.type === 'farm.create' && 'farmId' in message
      ? done(farmRecord({ id: message.farmId, name: message.input.name, retry: message.input.retry }))
      : refused('internal', 'unexpected');
  const made = await client.json('POST', '/api/v1/farms', {
    name: 'main',
    description: 'all of it',
    max_concurrent_tasks: 7,
    max_attempts: 2,
    retry_delay_seconds: null,
    unknown: { deep: true },
  });
  t.equal(made.status, 201);
  t.match(made.body, { name: 'main', max_attempts: 2 });
  const id = farmId((made.body as { id: string }).id);
  t.equal(made.headers['location'], `/api/v1/farms/${id}`);
  const input = { name: 'main', description: 'all of it', maxConcurrentTasks: 7, retry: { maxAttempts: 2 } };
  t.same(api.asked, [
    {
      actor: 'catalog',
      id: 'catalog',
      message: { type: 'farm.create', farmId: id, input, replyTo: replyTo('front') },
    },
  ]);

  api.answer = () => refused('conflict', 'a farm named main exists');
  const again = await client.json('POST', '/api/v1/farms', { name: 'main' });
  t.match(again, {
    status: 409,
    body: { type: 'about:blank', title: 'Conflict', status: 409, detail: 'a farm named main exists' },
  });
});

void test('a farm is replaced and deleted', async (t) => {
  const { api, client } = await startApi(t);
  t.equal((await client.json('PUT', `/api/v1/farms/${FARM}`, { name: 'x' })).status, 404);
  t.equal((await client.send('DELETE', `/api/v1/farms/${FARM}`)).status, 404);
  t.same(api.asked, []);
  api.write(put('farm', keys.farm(FARM), farmRecord()));
  api.answer = ({ actor }) =>
    actor === 'catalog' ? done(farmRecord({ name: 'renamed', updatedAt: T0 + 1 })) : done(null);
  const replaced = await client.json('PUT', `/api/v1/farms/${FARM}`, { name: 'renamed' });
  t.same(replaced.body, { ...FARM_JSON, name: 'renamed', updated_at: '2026-11-20T10:00:00.001Z' });
  const deleted = await client.send('DELETE', `/api/v1/farms/${FARM}`);
  t.match(deleted, { status: 204, text: '' });
  const input = { name: 'renamed', description: '', maxConcurrentTasks: 0, retry: {} };
  t.same(api.asked, [
    {
      actor: 'catalog',
      id: 'catalog',
      message: { type: 'farm.replace', farmId: FARM, input, replyTo: replyTo('front') },
    },
    { actor: 'farm', id: FARM, message: { type: 'farm.delete', force: false, replyTo: replyTo('front') } },
  ]);
  api.asked.length = 0;
  await client.send('DELETE', `/api/v1/farms/${FARM}?force=true`);
  t.match(api.asked, [{ message: { type: 'farm.delete', force: true } }]);
  api.answer = () => refused('conflict', 'the farm has jobs that have not ended');
  t.equal((await client.send('DELETE', `/api/v1/farms/${FARM}`)).status, 409);
});

void test('errors in a farm have pointers', async (t) => {
  const { api, client } = await startApi(t);
  const cases: [unknown, string][] = [
    [{}, '/name: is required'],
    [{ name: '' }, '/name: must not be blank or hold control characters'],
    [{ name: ' ' }, '/name: must not be blank or hold control characters'],
    [{ name: 'a\nb' }, '/name: must not be blank or hold control characters'],
    [{ name: 7 }, '/name: must be string'],
    [{ name: 'x'.repeat(256) }, '/name: must NOT have more than 255 characters'],
    [{ name: 'a', max_attempts: 0 }, '/max_attempts: must be >= 1'],
    [{ name: 'a', max_attempts: 1.5 }, '/max_attempts: must be integer or null'],
    [{ name: 'a', max_attempts: '3' }, '/max_attempts: must be integer or null'],
    [{ name: 'a', retry_delay_seconds: -1 }, '/retry_delay_seconds: must be >= 0'],
    [{ name: 'a', failure_limit: -1 }, '/failure_limit: must be >= 0'],
    [
      { name: 'a', max_concurrent_tasks: -1, description: 1 },
      '/description: must be string; /max_concurrent_tasks: must be >= 0',
    ],
    [[], ': must be object'],
    [null, ': must be object'],
  ];
  for (const [body, detail] of cases) {
    const answer = await client.json('POST', '/api/v1/farms', body);
    t.equal(answer.status, 400);
    const found = (answer.body as { detail: string }).detail;
    t.equal(found, detail, JSON.stringify(body).slice(0, 60));
  }
  t.match((await client.json('POST', '/api/v1/farms', {})).body, {
    errors: [{ pointer: '/name', detail: 'is required' }],
  });
  t.same(api.asked, []);
});

void test('rejects a body that is not JSON or nested too deep', async (t) => {
  const { api, client } = await startApi(t);
  const headers = { 'content-type': 'application/json' };
  const cases: [string, string][] = [
    ['', 'the body is not valid JSON'],
    ['{"name": "a"', 'the body is not valid JSON'],
    ['{"name": NaN}', 'the body is not valid JSON'],
    [`{"name": "a", "b": ${'['.repeat(64)}${']'.repeat(64)}}`, 'the body is nested deeper than 64 levels'],
    ['['.repeat(65_000), 'the body is nested deeper than 64 levels'],
  ];
  for (const [body, detail] of cases) {
    const answer = await client.send('POST', '/api/v1/farms', { headers, body });
    t.match(answer, { status: 400, body: { detail } }, body.slice(0, 30));
  }
  api.answer = () => done(farmRecord());
  const body = '{"name": "main", "__proto__": {"description": "x"}, "constructor": 1}';
  t.equal((await client.send('POST', '/api/v1/farms', { headers, body })).status, 201);
  const message = api.asked[0]?.message;
  t.same(message?.type === 'farm.create' && message.input.description, '', 'ignores a prototype in a body');
});

void test('filters, sorts and pages queues', async (t) => {
  const { api, client } = await startApi(t);
  const other = farmId(uuid('f', 2));
  const queues = [
    queueRecord(),
    queueRecord({ id: queueId(uuid('b', 2)), name: 'night', priority: 5, paused: true, createdAt: T0 + 2 }),
    queueRecord({ id: queueId(uuid('b', 3)), name: 'auto', farmId: other, priority: 5, createdAt: T0 + 1 }),
  ];
  api.write(...queues.map((queue) => put('queue', keys.queue(queue.id), queue)));
  const names = async (query: string): Promise<unknown> => {
    const { body } = await client.get(`/api/v1/queues${query}`);
    const { items, total, limit, offset } = body as {
      items: { name: string }[];
      total: number;
      limit: number;
      offset: number;
    };
    return [items.map((item) => item.name).join(' '), total, limit, offset];
  };
  t.same(await names(''), ['day auto night', 3, 50, 0]);
  t.same(await names('?sort_dir=desc'), ['night auto day', 3, 50, 0]);
  t.same(await names('?sort_by=name'), ['auto day night', 3, 50, 0]);
  t.same(await names('?sort_by=priority&sort_dir=desc'), ['night auto day', 3, 50, 0]);
  t.same(await names(`?farm_id=${FARM}`), ['day night', 2, 50, 0]);
  t.same(await names('?paused=true'), ['night', 1, 50, 0]);
  t.same(await names('?paused=false&limit=1&offset=1'), ['auto', 2, 1, 1]);
  t.same(await names('?offset=99'), ['', 3, 50, 99]);
  t.same((await client.get(`/api/v1/queues/${QUEUE}`)).body, QUEUE_JSON);
  t.equal((await client.get(`/api/v1/queues/${NOBODY}`)).status, 404);
});

void test('a queue is created, replaced and deleted by its farm', async (t) => {
  const { api, client } = await startApi(t);
  const unknownFarm = await client.json('POST', '/api/v1/queues', { name: 'day', farm_id: FARM });
  t.match(unknownFarm, { status: 400, body: { detail: `/farm_id: no farm ${FARM}` } });
  t.match(await client.json('POST', '/api/v1/queues', { name: 'day' }), {
    status: 400,
    body: { detail: '/farm_id: is required' },
  });
  t.equal((await client.json('PUT', `/api/v1/queues/${QUEUE}`, { name: 'day' })).status, 404);
  t.equal((await client.send('DELETE', `/api/v1/queues/${QUEUE}`)).status, 404);
  t.same(api.asked, []);

  api.write(put('farm', keys.farm(FARM), farmRecord()), put('queue', keys.queue(QUEUE), queueRecord()));
  api.answer = ({ message }) => (message.type === 'queue.delete' ? done(null) : done(queueRecord()));
  const settings = {
    name: 'day',
    description: 'd',
    priority: -3,
    max_concurrent_tasks: 4,
    paused: true,
    failure_limit: 0,
  };
  const made = await client.json('POST', '/api/v1/queues', { ...settings, farm_id: FARM, run_as_user: null });
  t.match(made, { status: 201, body: QUEUE_JSON });
  t.equal(made.headers['location'], `/api/v1/queues/${QUEUE}`);
  t.match(await client.json('PUT', `/api/v1/queues/${QUEUE}`, { name: 'day', farm_id: FARM }), {
    status: 200,
    body: QUEUE_JSON,
  });
  t.match(await client.send('DELETE', `/api/v1/queues/${QUEUE}`), { status: 204, text: '' });
  const to = { actor: 'farm', id: FARM };
  const defaults = {
    name: 'day',
    description: '',
    priority: 0,
    maxConcurrentTasks: 0,
    paused: false,
    retry: {},
  };
  const given = {
    name: 'day',
    description: 'd',
    priority: -3,
    maxConcurrentTasks: 4,
    paused: true,
    retry: { failureLimit: 0 },
    runAsUser: null,
  };
  t.same(api.asked, [
    { ...to, message: { type: 'queue.create', input: given, replyTo: replyTo('front') } },
    { ...to, message: { type: 'queue.replace', queueId: QUEUE, input: defaults, replyTo: replyTo('front') } },
    { ...to, message: { type: 'queue.delete', queueId: QUEUE, replyTo: replyTo('front') } },
  ]);
  t.match(await client.json('PUT', `/api/v1/queues/${QUEUE}`, { name: 'day', farm_id: NOBODY }), {
    status: 400,
    body: { detail: '/farm_id: a queue cannot move to another farm' },
  });
  api.answer = () => refused('conflict', 'in use');
  t.equal((await client.json('POST', '/api/v1/queues', { ...settings, farm_id: FARM })).status, 409);
  t.equal((await client.json('PUT', `/api/v1/queues/${QUEUE}`, settings)).status, 409);
  t.equal((await client.send('DELETE', `/api/v1/queues/${QUEUE}`)).status, 409);
});

void test('a queue with an account on an open bus has a warning, which is also logged', async (t) => {
  const { api, client } = await startApi(t);
  const isolated = queueRecord({ runAsUser: 'render' });
  api.write(put('farm', keys.farm(FARM), farmRecord()), put('queue', keys.queue(QUEUE), isolated));
  const warningOf = async (): Promise<unknown> => {
    const { body } = await client.get(`/api/v1/queues/${QUEUE}`);
    const page = (await client.get('/api/v1/queues')).body as { readonly items: readonly object[] };
    t.same(page.items[0], body, 'the list shows the same');
    return (body as { readonly isolation_warning?: string }).isolation_warning;
  };
  t.equal(await warningOf(), undefined, 'the bus has authentication');
  api.busStanding = OPEN_MANAGED_BUS;
  t.match(await warningOf(), /run as render, but the bus has no authentication/);
  api.busStanding = { kind: 'unknown' };
  t.equal(await warningOf(), undefined);

  const logged = (): readonly string[] => api.logged.map(({ text }) => text);
  api.busStanding = OPEN_MANAGED_BUS;
  api.answer = () => done(queueRecord({ runAsUser: 'comp' }));
  const path = `/api/v1/queues/${QUEUE}`;
  t.match(await client.json('PUT', path, { name: 'day', run_as_user: 'comp' }), {
    body: { isolation_warning: /run as comp/ },
  });
  t.match(logged(), [/run as comp, but the bus has no authentication/]);
  api.answer = () => done(isolated);
  await client.json('PUT', path, { name: 'day' });
  t.equal(logged().length, 1, 'an account that stays is not logged again');
  api.write(put('queue', keys.queue(QUEUE), queueRecord()));
  t.equal(await warningOf(), undefined, 'without an account there is nothing to protect');
});

void test('a queue may name the account and the group that its tasks run as', async (t) => {
  const { api, client } = await startApi(t);
  const isolated = queueRecord({ runAsUser: 'render', runAsGroup: 'show' });
  api.write(put('farm', keys.farm(FARM), farmRecord()), put('queue', keys.queue(QUEUE), isolated));
  api.answer = () => done(isolated);
  const input = async (body: object): Promise<unknown> => {
    api.asked.length = 0;
    t.match(await client.json('PUT', `/api/v1/queues/${QUEUE}`, { name: 'day', ...body }), {
      status: 200,
      body: { run_as_user: 'render', run_as_group: 'show' },
    });
    const { message } = api.asked[0] ?? {};
    return message?.type === 'queue.replace' ? message.input : message;
  };
  const plain = {
    name: 'day',
    description: '',
    priority: 0,
    maxConcurrentTasks: 0,
    paused: false,
    retry: {},
  };
  t.same(await input({}), plain, 'missing fields keep their values');
  t.same(await input({ run_as_user: null, run_as_group: null }), {
    ...plain,
    runAsUser: null,
    runAsGroup: null,
  });
  t.same(await input({ run_as_user: 'comp' }), { ...plain, runAsUser: 'comp' });
  t.same(
    await input({ run_as_group: 'comp' }),
    { ...plain, runAsGroup: 'comp' },
    'the stored account is used',
  );
  api.asked.length = 0;
  const vain = { status: 400, body: { detail: '/run_as_group: needs run_as_user' } };
  const group = { name: 'day', run_as_group: 'comp' };
  t.match(await client.json('POST', '/api/v1/queues', { ...group, farm_id: FARM }), vain);
  t.match(await client.json('PUT', `/api/v1/queues/${QUEUE}`, { ...group, run_as_user: null }), vain);
  for (const bad of ['', 'x'.repeat(256), 7]) {
    t.equal(
      (await client.json('PUT', `/api/v1/queues/${QUEUE}`, { name: 'day', run_as_user: bad })).status,
      400,
    );
  }
  t.same(api.asked, []);
});

void test('a farm lists the amounts that it books', async (t) => {
  const { api, client } = await startApi(t);
  const booked = { names: ['amount.worker.gpu'], byDefault: 'core_share', version: 3 } as const;
  api.write(put('farm', keys.farm(FARM), farmRecord({ bookedAmounts: booked })));
  t.match((await client.get(`/api/v1/farms/${FARM}`)).body, {
    booked_amounts: ['amount.worker.gpu'],
    amount_default: 'core_share',
    policy_version: 3,
  });
  const inputs: unknown[] = [];
  api.answer = ({ message }) => {
    if (message.type === 'farm.replace') inputs.push(message.input);
    return done(farmRecord());
  };
  const put400 = async (names: unknown): Promise<unknown> => {
    const answer = await client.json('PUT', `/api/v1/farms/${FARM}`, { name: 'main', booked_amounts: names });
    t.equal(answer.status, 400);
    return (answer.body as { detail: string }).detail;
  };
  t.match(await put400(['amount.worker.vcpu']), /always booked/);
  t.match(await put400(['amount.worker.usagepool.nuke']), /usage pool/);
  t.match(await put400(['amount.worker.nonsense']), /reserved/);
  t.match(await put400(['amount.worker.gpu', 'AMOUNT.worker.GPU']), /listed twice/);
  t.match(await put400('amount.worker.gpu'), /booked_amounts/);
  t.same(inputs, []);
  await client.json('PUT', `/api/v1/farms/${FARM}`, {
    name: 'main',
    booked_amounts: ['Amount.Worker.Memory'],
  });
  await client.json('PUT', `/api/v1/farms/${FARM}`, { name: 'main', amount_default: 'none' });
  await client.json('PUT', `/api/v1/farms/${FARM}`, { name: 'main' });
  t.match(inputs, [
    { bookedAmounts: { names: ['amount.worker.memory'] } },
    { bookedAmounts: { byDefault: 'none' } },
    {},
  ]);
  t.notOk('bookedAmounts' in (inputs[2] as object), 'a client that does not know the fields keeps them');
});

void test('a farm has a queue policy', async (t) => {
  const { api, client } = await startApi(t);
  const policy = {
    kind: 'weighted',
    sharedBy: 'queue',
    weights: [{ name: QUEUE, weight: 2 }],
    halfLifeSeconds: 3600,
    priorityFirst: false,
    version: 4,
  } as const;
  api.write(put('farm', keys.farm(FARM), farmRecord({ queuePolicy: policy })));
  api.write(put('queue', keys.queue(QUEUE), queueRecord({ name: 'day' })));
  t.match((await client.get(`/api/v1/farms/${FARM}`)).body, {
    queue_policy: 'weighted',
    shared_by: 'queue',
    share_weights: { [QUEUE]: 2 },
    usage_half_life_seconds: 3600,
    priority_first: false,
    queue_policy_version: 4,
  });
  const inputs: unknown[] = [];
  api.answer = ({ message }) => {
    if (message.type === 'farm.replace') inputs.push(message.input);
    return done(farmRecord());
  };
  const refusalOf = async (fields: object): Promise<unknown> => {
    const answer = await client.json('PUT', `/api/v1/farms/${FARM}`, { name: 'main', ...fields });
    t.equal(answer.status, 400);
    return (answer.body as { detail: string }).detail;
  };
  t.match(
    await refusalOf({ queue_policy: 'balanced', shared_by: 'queue' }),
    /by owner, project, job, not by queue/,
  );
  t.match(
    await refusalOf({ shared_by: 'job' }),
    /the queue policy weighted shares a farm by owner, project, queue/,
  );
  t.match(await refusalOf({ queue_policy: 'lottery' }), /queue_policy/);
  t.match(await refusalOf({ share_weights: { ana: 0 } }), /share_weights/);
  t.match(await refusalOf({ usage_half_life_seconds: 59 }), /usage_half_life_seconds/);
  t.same(inputs, []);
  await client.json('PUT', `/api/v1/farms/${FARM}`, { name: 'main', share_weights: { day: 3, ana: 0.5 } });
  await client.json('PUT', `/api/v1/farms/${FARM}`, { name: 'main', queue_policy: 'balanced' });
  await client.json('PUT', `/api/v1/farms/${FARM}`, { name: 'main' });
  t.match(inputs, [
    {
      queuePolicy: {
        weights: [
          { name: 'ana', weight: 0.5 },
          { name: QUEUE, weight: 3 },
        ],
      },
    },
    { queuePolicy: { kind: 'balanced' } },
    {},
  ]);
  t.notOk('queuePolicy' in (inputs[2] as object), 'a client that does not know the fields keeps them');
});
