import { test } from 'tap';
import { attemptIdOf, farmId, queueId, taskIdOf, workerId } from '../../../src/core/ids.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { SETTINGS, versionOf } from '../../../src/core/records/settings-version.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { replyTo } from '../../../actors/kernel/address.ts';
import { timestampOf } from '../../../src/core/timestamp.ts';
import { startApi } from '../kit/api-fixture.ts';
import {
  FARM,
  farmRecord,
  FRAMES,
  jobChanges,
  jobNumber,
  QUEUE,
  queueRecord,
  T0,
  taskState,
  uuid,
  WORKER,
  workerRecord,
} from '../kit/records.ts';

const OTHER_FARM = farmId(uuid('f', 2));
const TASK = { jobId: jobNumber(1), stepOrder: 0, index: 1 };

void test('filters, sorts and pages workers', async (t) => {
  const { api, client } = await startApi(t);
  const workers = [
    workerRecord({
      name: 'node-b',
      computeLocation: 'berlin',
      tags: { rack: 'B7' },
      registeredAt: T0 + 3,
      lastHeartbeatAt: T0 + 5,
    }),
    workerRecord({
      id: workerId(uuid('e', 2)),
      name: 'node-a',
      hostname: 'z',
      status: 'offline',
      queueIds: [QUEUE],
      registeredAt: T0 + 2,
      lastHeartbeatAt: T0 + 9,
    }),
    workerRecord({
      id: workerId(uuid('e', 3)),
      name: 'node-c',
      farmId: OTHER_FARM,
      computeLocation: 'Berlin',
      registeredAt: T0 + 1,
    }),
    workerRecord({
      id: workerId(uuid('e', 4)),
      name: 'node-d',
      status: 'disabled',
      queueIds: [queueId(uuid('b', 2))],
    }),
  ];
  api.write(
    ...workers.map((worker) => put('worker', keys.worker(worker.id), worker)),
    put('queue', keys.queue(QUEUE), queueRecord()),
  );
  const cases: [string, string, number][] = [
    ['', 'node-a node-b node-c node-d', 4],
    ['sort_dir=desc', 'node-d node-c node-b node-a', 4],
    ['sort_by=status', 'node-d node-a node-b node-c', 4],
    ['sort_by=hostname&sort_dir=desc', 'node-a node-b node-c node-d', 4],
    ['sort_by=registered_at', 'node-d node-c node-a node-b', 4],
    ['sort_by=last_heartbeat_at', 'node-b node-a node-c node-d', 4],
    ['sort_by=compute_location', 'node-a node-d node-c node-b', 4],
    [`farm_id=${FARM}`, 'node-a node-b node-d', 3],
    ['compute_location=berlin', 'node-b', 1],
    ['status=online', 'node-b node-c', 2],
    [`queue_id=${QUEUE}`, 'node-a node-b', 2],
    // Each word of a search must occur in the name, the host name, the id or a tag.
    ['search=NODE-A', 'node-a', 1],
    ['search=node+rack%3Db', 'node-b', 1],
    [`search=${uuid('e', 4)}`, 'node-d', 1],
    ['search=node+z', 'node-a', 1],
    ['search=berlin', '', 0],
    ['search=+', 'node-a node-b node-c node-d', 4],
    [`queue_id=${uuid('b', 9)}`, '', 0],
    ['limit=2&offset=1', 'node-b node-c', 4],
  ];
  for (const [query, expected, total] of cases) {
    const page = (await client.get(`/api/v1/workers?${query}`)).body as {
      items: { name: string }[];
      total: number;
    };
    t.same([page.items.map((item) => item.name).join(' '), page.total], [expected, total], query);
  }
  t.equal((await client.get('/api/v1/workers?status=removed')).status, 400);
  t.equal((await client.get('/api/v1/workers?sort_by=cpu')).status, 400);
});

void test('summarizes the matching workers of any status', async (t) => {
  const { api, client } = await startApi(t);
  const attemptId = attemptIdOf({ ...TASK, attemptNumber: 1 });
  const add = (n: number, change: Parameters<typeof workerRecord>[0], cores: number): void => {
    const worker = workerRecord({ id: workerId(uuid('e', n)), ...change });
    api.write(
      put('worker', keys.worker(worker.id), worker),
      put('booking', keys.booking(worker.id), { version: 1, bookings: [{ attemptId, cores }] }),
    );
  };
  add(1, { name: 'a', cpuCount: 8 }, 3);
  add(2, { name: 'b', cpuCount: 4, draining: true }, 1);
  add(3, { name: 'c', cpuCount: 16, status: 'disabled' }, 2);
  add(4, { name: 'd', cpuCount: 16, status: 'offline', farmId: OTHER_FARM }, 0);
  const pageOf = async (query: string): Promise<{ summary?: unknown }> =>
    (await client.get(`/api/v1/workers?${query}`)).body as { summary?: unknown };
  const summaryOf = async (query: string): Promise<unknown> =>
    (await pageOf(`summary=true&${query}`)).summary;
  t.strictSame(await summaryOf('limit=1'), {
    online: 2,
    offline: 1,
    disabled: 1,
    draining: 1,
    cores_total: 12,
    cores_booked: 6,
  });
  // The summary ignores only the status filter.
  t.strictSame(await summaryOf(`farm_id=${FARM}&status=disabled`), {
    online: 2,
    offline: 0,
    disabled: 1,
    draining: 1,
    cores_total: 12,
    cores_booked: 6,
  });
  t.strictSame(await summaryOf('search=nothing-like-this'), {
    online: 0,
    offline: 0,
    disabled: 0,
    draining: 0,
    cores_total: 0,
    cores_booked: 0,
  });
  for (const unasked of ['', 'summary=false'])
    t.strictSame(Object.keys(await pageOf(unasked)).sort(), ['items', 'limit', 'offset', 'total'], unasked);
  t.equal((await client.get('/api/v1/workers?summary=1')).status, 400);
});

void test('returns a worker with its tasks', async (t) => {
  const { api, client } = await startApi(t);
  t.equal((await client.get(`/api/v1/workers/${WORKER}`)).status, 404);
  api.write(
    put(
      'worker',
      keys.worker(WORKER),
      workerRecord({
        queueIds: [QUEUE],
        tags: { gpu: 'true' },
        computeLocation: 'berlin',
        hardware: {
          gpuCount: 1,
          gpuMemoryMib: 24_564,
          gpuModels: ['NVIDIA RTX A5000'],
          scratchMib: 900_000,
          osVersion: 'debian-12',
        },
      }),
    ),
    put('booking', keys.booking(WORKER), {
      version: 1,
      bookings: [
        {
          attemptId: attemptIdOf({ ...TASK, attemptNumber: 1 }),
          cores: 3,
        },
        {
          attemptId: attemptIdOf({ ...TASK, jobId: jobNumber(9), attemptNumber: 1 }),
          cores: 2,
        },
      ],
    }),
    ...jobChanges({}, [
      {
        name: 'render',
        untouched: 'ready',
        taskCount: 3,
        space: FRAMES(3),
        touched: new Map([
          [1, taskState({ status: 'assigned', attemptNumber: 1, assignedAt: T0, workerOrdinal: 1 })],
        ]),
      },
    ]),
    put('workerOrdinal', keys.workerOrdinal(FARM, 1), { version: 1, workerId: WORKER }),
  );
  t.same((await client.get(`/api/v1/workers/${WORKER}`)).body, {
    id: WORKER,
    name: 'node-1',
    hostname: 'node-1.example',
    farm_id: FARM,
    status: 'online',
    compute_location: 'berlin',
    cpu_count: 8,
    committed_cores: 5,
    booked_amounts: [],
    booked_gpus: [],
    custom_amounts: {},
    bookings: [
      { attempt_id: attemptIdOf({ ...TASK, attemptNumber: 1 }), cores: 3, amounts: {}, gpus: [] },
      {
        attempt_id: attemptIdOf({ ...TASK, jobId: jobNumber(9), attemptNumber: 1 }),
        cores: 2,
        amounts: {},
        gpus: [],
      },
    ],
    current_task_count: 2,
    memory_mib: 16384,
    gpu_count: 1,
    gpu_memory_mib: 24_564,
    gpu_models: ['NVIDIA RTX A5000'],
    scratch_mib: 900_000,
    os: 'linux',
    os_version: 'debian-12',
    isolation: [],
    extensions: [],
    arch: 'x64',
    version: '0.1.0',
    settings_version: versionOf(SETTINGS.worker(workerRecord())),
    queue_ids: [QUEUE],
    tags: { gpu: 'true' },
    last_heartbeat_at: '2026-11-20T10:00:01.000Z',
    registered_at: '2026-11-20T10:00:00.000Z',
    failed_attempts: 0,
    credential: null,
    failures: [],
    evidence: [],
    current_tasks: [
      {
        id: taskIdOf(TASK),
        job_id: jobNumber(1),
        step_id: `${jobNumber(1)}-0`,
        name: 'render[Frame=2]',
        parameters: { Frame: '2' },
        status: 'assigned',
        assigned_worker_id: WORKER,
        assigned_at: '2026-11-20T10:00:00.000Z',
        started_at: '2026-11-20T10:00:00.000Z',
        created_at: '2026-11-20T10:00:00.000Z',
        updated_at: '2026-11-20T10:00:00.000Z',
        failed_attempts: 0,
      },
    ],
  });
});

void test('returns failures on a worker by step, latest first, without those of deleted jobs', async (t) => {
  const { api, client } = await startApi(t);
  api.write(
    put('worker', keys.worker(WORKER), workerRecord()),
    put('workerFailures', keys.workerFailures(WORKER), {
      version: 1,
      total: 9,
      steps: [
        { jobId: jobNumber(1), stepOrder: 1, failures: 4, lastAt: T0 + 1 },
        { jobId: jobNumber(9), stepOrder: 0, failures: 3, lastAt: T0 + 2 },
        { jobId: jobNumber(1), stepOrder: 0, failures: 2, lastAt: T0 + 3 },
      ],
    }),
    ...jobChanges({}, [
      { name: 'render', untouched: 'ready', taskCount: 3, space: FRAMES(3), touched: new Map() },
    ]),
  );
  t.match((await client.get(`/api/v1/workers/${WORKER}`)).body, {
    failed_attempts: 9,
    failures: [
      {
        job_id: jobNumber(1),
        job_name: 'fractal',
        step_id: `${jobNumber(1)}-0`,
        step_name: 'render',
        failures: 2,
        last_at: '2026-11-20T10:00:00.003Z',
      },
      {
        job_id: jobNumber(1),
        job_name: 'fractal',
        step_id: `${jobNumber(1)}-1`,
        step_name: '',
        failures: 4,
        last_at: '2026-11-20T10:00:00.001Z',
      },
    ],
  });
  const { items } = (await client.get('/api/v1/workers')).body as { items: object[] };
  t.match(items, [{ id: WORKER, failed_attempts: 9 }]);
  t.notOk('failures' in (items[0] ?? {}), 'the list has only the total');
});

void test('the worker actor disables and enables workers', async (t) => {
  const { api, client } = await startApi(t);
  api.write(put('worker', keys.worker(WORKER), workerRecord()));
  for (const [action, status] of [
    ['disable', 'disabled'],
    ['enable', 'online'],
    ['enable', 'offline'],
  ] as const) {
    api.answer = () => done({ status });
    const answer = await client.send('POST', `/api/v1/workers/${WORKER}/${action}`);
    t.strictSame([answer.status, answer.body], [200, { id: WORKER, status }]);
  }
  t.strictSame(
    api.asked,
    ['disable', 'enable', 'enable'].map((action) => ({
      actor: 'worker',
      id: WORKER,
      message: {
        type: `worker.${action}`,
        ...(action === 'disable' && { disabling: { by: 'anonymous', reason: '', stopsTasks: false } }),
        replyTo: replyTo('front'),
      },
    })),
  );
  api.answer = () => done({ status: 'disabled' });
  t.match(await client.json('POST', `/api/v1/workers/${WORKER}/disable`, { until: timestampOf(api.now) }), {
    status: 400,
    body: { detail: '/until: must be in the future' },
  });
  const until = api.now + 3_600_000;
  const body = { mode: 'now', reason: 'broken fan', until: timestampOf(until) };
  t.match(await client.json('POST', `/api/v1/workers/${WORKER}/disable`, body), { status: 200 });
  const disabling = { by: 'anonymous', reason: 'broken fan', stopsTasks: true, until };
  t.match(api.asked.at(-1), { message: { disabling } });
  t.match(await client.json('POST', `/api/v1/workers/${WORKER}/disable`, { mode: 'soon' }), { status: 400 });
  t.match(await client.json('POST', '/api/v1/workers/bulk', { action: 'disable', ids: [WORKER], ...body }), {
    status: 200,
    body: { changed: 1 },
  });
  t.match(api.asked.at(-1), { message: { disabling } });
  api.write(
    put(
      'worker',
      keys.worker(WORKER),
      workerRecord({ status: 'disabled', disabling: { ...disabling, at: T0 } }),
    ),
  );
  t.match(await client.get(`/api/v1/workers/${WORKER}`), {
    body: { disabled: { by: 'anonymous', ...body, at: /^2026/ } },
  });
  api.answer = () => refused('not-found', 'there is no worker any more');
  t.match(await client.send('POST', `/api/v1/workers/${WORKER}/disable`), {
    status: 404,
    body: { detail: 'there is no worker any more' },
  });
});

void test('the worker actor deletes a worker or refuses', async (t) => {
  const { api, client } = await startApi(t);
  api.write(put('worker', keys.worker(WORKER), workerRecord()));
  api.answer = () => refused('conflict', 'the worker is online; stop it before you delete it');
  t.match(await client.send('DELETE', `/api/v1/workers/${WORKER}`), {
    status: 409,
    body: { detail: 'the worker is online; stop it before you delete it' },
  });
  api.answer = () => done(null);
  t.match(await client.send('DELETE', `/api/v1/workers/${WORKER}`), { status: 204, text: '' });
  const asked = {
    actor: 'worker',
    id: WORKER,
    message: { type: 'worker.delete', replyTo: replyTo('front') },
  };
  t.strictSame(api.asked, [asked, asked]);
});

void test('returns 404 for unknown workers, and 405 for unsupported methods', async (t) => {
  const { api, client } = await startApi(t);
  for (const [method, path] of [
    ['DELETE', ''],
    ['POST', '/disable'],
    ['POST', '/enable'],
  ] as const) {
    t.match(await client.send(method, `/api/v1/workers/${WORKER}${path}`), {
      status: 404,
      body: { detail: `no worker ${WORKER}` },
    });
  }
  t.strictSame(api.asked, []);
  t.equal((await client.get(`/api/v1/workers/${WORKER}/disable`)).status, 405);
  t.equal((await client.send('PUT', `/api/v1/workers/${WORKER}`)).status, 405);
});

void test('a worker shows what its tasks book', async (t) => {
  const { api, client } = await startApi(t);
  const hardware = { gpuCount: 2, gpuMemoryMib: 1000, gpuModels: [], scratchMib: 0, osVersion: '' };
  const names = ['amount.worker.memory', 'amount.worker.gpu.memory', 'amount.scene.cache'];
  const attempt = (index: number) => attemptIdOf({ ...TASK, index, attemptNumber: 1 });
  api.write(
    put('farm', keys.farm(FARM), farmRecord({ bookedAmounts: { names, byDefault: 'none', version: 2 } })),
    put(
      'worker',
      keys.worker(WORKER),
      workerRecord({ memoryMib: 8000, hardware, customAmounts: { 'amount.scene.cache': 2 } }),
    ),
    put('booking', keys.booking(WORKER), {
      version: 1,
      bookings: [
        {
          attemptId: attempt(1),
          cores: 1,
          amounts: { 'amount.worker.memory': 1000.5, 'amount.worker.gpu': 1 },
          gpus: [1],
          policyVersion: 2,
        },
        { attemptId: attempt(2), cores: 1, amounts: { 'amount.worker.memory': 500 } },
        { attemptId: attempt(3), cores: 1 },
      ],
    }),
  );
  t.match((await client.get(`/api/v1/workers/${WORKER}`)).body, {
    committed_cores: 3,
    booked_amounts: [
      { name: 'amount.worker.memory', booked: 1500.5, total: 8000 },
      { name: 'amount.worker.gpu.memory', booked: 0, total: 2000 },
      { name: 'amount.scene.cache', booked: 0, total: 2 },
      { name: 'amount.worker.gpu', booked: 1, total: 2 },
    ],
    booked_gpus: [1],
    custom_amounts: { 'amount.scene.cache': 2 },
    bookings: [
      { gpus: [1], policy_version: 2 },
      { amounts: { 'amount.worker.memory': 500 }, gpus: [] },
      { amounts: {} },
    ],
  });
});
