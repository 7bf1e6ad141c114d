import { test } from 'tap';
import { replyTo } from '../../../actors/kernel/address.ts';
import { queueId, workerId } from '../../../src/core/ids.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import {
  farmRecord,
  FARM,
  FRAMES,
  jobChanges,
  jobNumber,
  jobRecord,
  QUEUE,
  queueRecord,
  taskIdAt,
  taskState,
  uuid,
  workerRecord,
} from '../kit/records.ts';

const to = replyTo('front');
const ok = (id: string, status: number, changed = true): object => ({ id, ok: true, changed, status });
const refusedItem = (id: string, status: number, title: string, detail: string): object => ({
  id,
  ok: false,
  changed: false,
  status,
  problem: { type: 'about:blank', title, status, detail },
});

function writeJobs(fixture: ApiFixture, count: number): void {
  fixture.write(
    put('farm', keys.farm(FARM), farmRecord()),
    put('queue', keys.queue(QUEUE), queueRecord()),
    ...Array.from({ length: count }, (_, nth) => {
      const id = jobNumber(nth + 1);
      return put('job', keys.job(id), jobRecord({ id, owner: nth % 2 === 0 ? 'ada' : 'bob' }));
    }),
  );
}

/** Actors and message types, in order. */
const asked = (fixture: ApiFixture): readonly (readonly [string, string, string])[] =>
  fixture.asked.map(({ actor, id, message }) => [actor, id, message.type] as const);

void test('each job succeeds or fails on its own, in the order of the ids', async (t) => {
  const { api, client } = await startApi(t);
  writeJobs(api, 4);
  const [one, two, three, none] = [1, 2, 3, 9].map(jobNumber);
  if (one === undefined || two === undefined || three === undefined || none === undefined) throw new Error();
  api.answer = ({ id }) => (id === two ? refused('conflict', 'the job is completed already') : done(null));
  t.match(
    await client.json('POST', '/api/v1/jobs/bulk', { action: 'cancel', ids: [three, two, none, one, two] }),
    {
      status: 200,
      body: {
        results: [
          ok(three, 204),
          refusedItem(two, 409, 'Conflict', 'the job is completed already'),
          refusedItem(none, 404, 'Not Found', `no job ${none}`),
          ok(one, 204),
        ],
      },
    },
  );
  t.strictSame(asked(api), [
    ['job', three, 'job.cancel'],
    ['job', two, 'job.cancel'],
    ['job', one, 'job.cancel'],
  ]);
});

void test('every bulk action equals the route of a single job', async (t) => {
  const { api, client } = await startApi(t);
  writeJobs(api, 1);
  const id = jobNumber(1);
  const run = async (body: object): Promise<unknown> => {
    api.asked.splice(0);
    const { status, body: answer } = await client.json('POST', '/api/v1/jobs/bulk', { ids: [id], ...body });
    t.equal(status, 200);
    return (answer as { results: unknown[] }).results[0];
  };
  api.answer = () => done(jobRecord());
  t.same(await run({ action: 'pause' }), ok(id, 200));
  const update = { action: 'pause', retry: {} };
  t.strictSame(api.asked, [
    { actor: 'job', id, message: { type: 'job.update', update, queue: null, replyTo: to } },
  ]);
  t.same(await run({ action: 'resume' }), ok(id, 200, false), 'the job was not paused');
  t.match(api.asked, [{ message: { update: { action: 'resume' } } }]);
  t.same(await run({ action: 'set', priority: 0 }), ok(id, 200));
  t.match(api.asked, [{ message: { update: { priority: 0, action: undefined } } }]);
  t.same(await run({ action: 'set', priority: 7, queue_id: QUEUE }), ok(id, 200));
  t.strictSame(api.asked, [
    {
      actor: 'farm',
      id: FARM,
      message: {
        type: 'job.requeue',
        jobId: id,
        queueId: QUEUE,
        update: { priority: 7, retry: {} },
        replyTo: to,
      },
    },
  ]);
  const other = queueId(uuid('b', 7));
  t.same(await run({ action: 'set', queue_id: other }), {
    ...refusedItem(id, 400, 'Bad Request', `/queue_id: the farm has no queue ${other}`),
    problem: {
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: `/queue_id: the farm has no queue ${other}`,
      errors: [{ pointer: '/queue_id', detail: `the farm has no queue ${other}` }],
    },
  });
  api.answer = () => done({ retried: 5, status: null, jobStatus: 'pending', steps: [] });
  t.same(await run({ action: 'retry' }), { ...ok(id, 200), retried: 5 });
  t.match(api.asked, [{ message: { type: 'job.retry', request: { target: 'job', scope: 'tasks' } } }]);
  api.answer = () => done(null);
  t.same(await run({ action: 'delete' }), ok(id, 204));
  t.strictSame(asked(api), [['job', id, 'job.delete']]);
});

void test('a filter selects the same jobs as the list, up to a limit', async (t) => {
  const { api, client } = await startApi(t);
  writeJobs(api, 1001);
  const bulk = (body: object) => client.json('POST', '/api/v1/jobs/bulk', { action: 'cancel', ...body });
  t.match(await bulk({ filter: { farm_id: FARM } }), {
    status: 409,
    body: { detail: 'the filter matches 1001 jobs; a request can change at most 1000, so narrow the filter' },
  });
  t.same(api.asked, [], 'no job was changed');
  const some = await bulk({ filter: { owner: 'bob', search: 'AAAAAAAA-0000' } });
  const { results } = some.body as { results: readonly object[] };
  const bobs = Array.from({ length: 500 }, (_, nth) => ok(jobNumber(2 * nth + 2), 204));
  t.strictSame([some.status, results], [200, bobs]);
  t.same(await bulk({ filter: { status: 'failed' } }).then((answer) => answer.body), {
    total: 0,
    changed: 0,
    results: [],
  });
  const statuses = { search: jobNumber(7), statuses: ['failed', 'pending', 'running'] };
  const found = { total: 1, changed: 1, results: [ok(jobNumber(7), 204)] };
  t.same(await bulk({ filter: statuses }).then((answer) => answer.body), found, 'no job was changed');
  t.same(await bulk({ filter: { ...statuses, status: 'failed' } }).then((answer) => answer.body), {
    total: 0,
    changed: 0,
    results: [],
  });
  t.match(await bulk({ filter: { statuses: [] } }), { status: 400 });
});

void test('an error of one item does not affect the others', async (t) => {
  const { api, client } = await startApi(t);
  writeJobs(api, 2);
  api.answer = ({ id }) => {
    if (id === jobNumber(1)) throw new Error('the shard has stopped');
    return done(null);
  };
  const answer = await client.json('POST', '/api/v1/jobs/bulk', {
    action: 'delete',
    ids: [jobNumber(1), jobNumber(2)],
  });
  t.same(answer.body, {
    total: 2,
    changed: 1,
    results: [
      refusedItem(
        jobNumber(1),
        500,
        'Internal Server Error',
        'the item failed; the log of the service says why',
      ),
      ok(jobNumber(2), 204),
    ],
  });
  t.match(api.logged, [{ level: 'error', attributes: { id: jobNumber(1), error: /the shard has stopped/ } }]);
});

void test('the number of parallel items is limited', async (t) => {
  const { api, client } = await startApi(t);
  writeJobs(api, 100);
  const ends: (() => void)[] = [];
  api.answer = () =>
    new Promise((resolve) => {
      ends.push(() => {
        resolve(done(null));
      });
    });
  const answered = client.json('POST', '/api/v1/jobs/bulk', { action: 'cancel', filter: { farm_id: FARM } });
  await api.until(() => api.asked.length >= 32);
  t.equal(api.asked.length, 32);
  ends.splice(0).forEach((end) => {
    end();
  });
  await api.until(() => api.asked.length >= 64);
  t.equal(api.asked.length, 64);
  api.answer = () => done(null);
  ends.splice(0).forEach((end) => {
    end();
  });
  t.equal(((await answered).body as { results: unknown[] }).results.length, 100);
});

void test('changes tasks by ids and by a filter of one job', async (t) => {
  const { api, client } = await startApi(t);
  const touched = new Map([
    [1, taskState({ status: 'failed' })],
    [4, taskState({ status: 'failed' })],
  ]);
  const many = { untouched: 'ready', taskCount: 1001, space: FRAMES(1001), touched: new Map() } as const;
  api.write(
    ...jobChanges({}, [
      { name: 'render', untouched: 'pending', taskCount: 6, space: FRAMES(6), touched },
      { name: 'encode', ...many },
    ]),
  );
  const bulk = (body: object) => client.json('POST', '/api/v1/tasks/bulk', body);
  api.answer = ({ message }) =>
    message.type === 'task.cancel' && message.index === 4
      ? refused('conflict', 'the task is failed already')
      : done({ retried: 1, status: 'ready' });
  t.match(await bulk({ action: 'retry', filter: { job_id: jobNumber(1), status: 'failed' } }), {
    status: 200,
    body: { results: [ok(taskIdAt(0, 1), 202), ok(taskIdAt(0, 4), 202)] },
  });
  t.match(api.asked, [
    { message: { type: 'job.retry', request: { target: { stepOrder: 0, index: 1 } } } },
    { message: { type: 'job.retry', request: { target: { stepOrder: 0, index: 4 } } } },
  ]);
  t.match(await bulk({ action: 'cancel', ids: [taskIdAt(0, 4), taskIdAt(0, 6), taskIdAt(0, 0)] }), {
    body: {
      results: [
        refusedItem(taskIdAt(0, 4), 409, 'Conflict', 'the task is failed already'),
        refusedItem(taskIdAt(0, 6), 404, 'Not Found', `no task ${taskIdAt(0, 6)}`),
        ok(taskIdAt(0, 0), 202),
      ],
    },
  });
  t.match(await bulk({ action: 'cancel', filter: { job_id: jobNumber(1), status: 'ready' } }), {
    status: 409,
    body: {
      detail: 'the filter matches 1001 tasks; a request can change at most 1000, so narrow the filter',
    },
  });
  t.match(await bulk({ action: 'cancel', filter: { job_id: 'none' } }), {
    status: 404,
    body: { detail: 'no job none' },
  });
});

void test('changes workers by ids and by a filter', async (t) => {
  const { api, client } = await startApi(t);
  const [one, two, three] = [1, 2, 3].map((number) => workerId(uuid('e', number)));
  if (one === undefined || two === undefined || three === undefined) throw new Error();
  api.write(
    put('worker', keys.worker(one), workerRecord({ id: one, name: 'c' })),
    put('worker', keys.worker(two), workerRecord({ id: two, name: 'a', status: 'offline' })),
    put('worker', keys.worker(three), workerRecord({ id: three, name: 'b', status: 'offline' })),
  );
  const bulk = (body: object) => client.json('POST', '/api/v1/workers/bulk', body);
  api.answer = ({ id }) =>
    id === three ? refused('conflict', 'the worker is online') : done({ status: 'disabled' });
  t.match(await bulk({ action: 'delete', filter: { status: 'offline' } }), {
    status: 200,
    body: { results: [ok(two, 204), refusedItem(three, 409, 'Conflict', 'the worker is online')] },
  });
  t.match(await bulk({ action: 'disable', ids: ['none', one] }), {
    body: { results: [refusedItem('none', 404, 'Not Found', 'no worker none'), ok(one, 200)] },
  });
  t.match(
    await bulk({ action: 'enable', ids: [one] }),
    { body: { total: 1, changed: 0, results: [ok(one, 200, false)] } },
    'the worker was not disabled',
  );
  t.strictSame(asked(api), [
    ['worker', two, 'worker.delete'],
    ['worker', three, 'worker.delete'],
    ['worker', one, 'worker.disable'],
    ['worker', one, 'worker.enable'],
  ]);
});

void test('workers are compared with the versions that the user saw', async (t) => {
  const { api, client } = await startApi(t);
  const [one, two] = [workerId(uuid('e', 1)), workerId(uuid('e', 2))];
  api.write(
    put('worker', keys.worker(one), workerRecord({ id: one, name: 'a' })),
    put('worker', keys.worker(two), workerRecord({ id: two, name: 'b' })),
  );
  const { body } = await client.get('/api/v1/workers?sort_by=name');
  const [seen] = (body as { items: { settings_version: string }[] }).items;
  const version = seen?.settings_version ?? '';
  const etag = String((await client.get(`/api/v1/workers/${one}`)).headers['etag']);
  t.ok(etag.endsWith(`.${version}"`), 'the version is that of the entity tag');
  api.answer = () => done({ status: 'disabled' });
  const bulk = (request: object) => client.json('POST', '/api/v1/workers/bulk', request);
  t.match(await bulk({ action: 'disable', ids: [one, two], versions: { [one]: version } }), { status: 200 });
  t.match(api.asked, [
    { id: one, message: { type: 'worker.disable', ifMatch: [version] } },
    { id: two, message: { type: 'worker.disable', ifMatch: undefined } },
  ]);
  t.match(await bulk({ action: 'delete', ids: [one], versions: { [one]: version } }), {
    status: 400,
    body: { detail: '/versions: only with disable and enable' },
  });
  t.equal(api.asked.length, 2, 'nothing was deleted');
});

void test('invalid requests are rejected without effect', async (t) => {
  const { api, client } = await startApi(t);
  writeJobs(api, 1);
  const id = jobNumber(1);
  const cases: readonly (readonly [string, object, string])[] = [
    ['jobs', {}, '/action: is required'],
    [
      'jobs',
      { action: 'explode', ids: [id] },
      '/action: must be one of pause, resume, cancel, retry, delete, set',
    ],
    ['jobs', { action: 'pause' }, '/ids: is required without a filter'],
    [
      'jobs',
      { action: 'pause', ids: [id], filter: { owner: 'ada' } },
      '/filter: cannot be combined with ids',
    ],
    ['jobs', { action: 'pause', ids: [] }, '/ids: must NOT have fewer than 1 items'],
    [
      'jobs',
      { action: 'pause', ids: Array.from({ length: 1001 }, () => id) },
      '/ids: must NOT have more than 1000 items',
    ],
    ['jobs', { action: 'pause', ids: [7] }, '/ids/0: must be string'],
    ['jobs', { action: 'delete', filter: {} }, '/filter: must NOT have fewer than 1 properties'],
    [
      'jobs',
      { action: 'delete', filter: { stauts: 'failed' } },
      '/filter: must NOT have additional properties',
    ],
    ['jobs', { action: 'delete', filter: { status: 'gone' } }, '/filter/status: must be one of'],
    ['jobs', { action: 'set', ids: [id] }, '/action: set needs priority or queue_id'],
    ['jobs', { action: 'set', ids: [id], priority: 1.5 }, '/priority: must be integer'],
    ['jobs', { action: 'pause', ids: [id], priority: 1 }, '/priority: is only for set, not for pause'],
    ['jobs', { action: 'retry', ids: [id], queue_id: QUEUE }, '/queue_id: is only for set, not for retry'],
    ['tasks', { action: 'pause', ids: [id] }, '/action: must be one of retry, cancel'],
    ['tasks', { action: 'retry', filter: { status: 'failed' } }, '/filter/job_id: is required'],
    ['workers', { action: 'cancel', ids: [id] }, '/action: must be one of disable, enable, delete'],
    ['workers', { action: 'delete', filter: { name: 'a' } }, '/filter: must NOT have additional properties'],
  ];
  for (const [what, body, detail] of cases) {
    const answer = await client.json('POST', `/api/v1/${what}/bulk`, body);
    t.equal(answer.status, 400, detail);
    t.ok((answer.body as { detail: string }).detail.includes(detail), `${detail}: ${answer.text}`);
  }
  t.match(await client.json('POST', '/api/v1/jobs/bulk', []), { status: 400 });
  t.equal((await client.send('POST', '/api/v1/jobs/bulk')).status, 400, 'no body');
  t.equal((await client.get('/api/v1/jobs/bulk')).headers['allow'], 'POST, OPTIONS');
  t.same(api.asked, []);
});
