import { test } from 'tap';
import { attemptIdOf, type JobId } from '../../../src/core/ids.ts';
import { done } from '../../../src/core/problems.ts';
import { put, type Change } from '../../../src/core/records/change-set.ts';
import type { JobRecord } from '../../../src/core/records/job.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { leaseExplanation } from '../../kit/explain-parts.ts';
import type { ApiFixture } from '../kit/api-fixture.ts';
import { startSignedIn } from '../kit/signed-in.ts';
import {
  FARM,
  farmRecord,
  FRAMES,
  jobChanges,
  jobNumber,
  QUEUE,
  queueRecord,
  taskIdAt,
  WORKER,
  workerRecord,
} from '../kit/records.ts';

const [MINE, FOREIGN, NOBODYS] = [jobNumber(1), jobNumber(2), jobNumber(3)];
const UNKNOWN = jobNumber(99);

const jobOf = (id: JobId, owner: string, changes: Partial<JobRecord> = {}): Change[] =>
  jobChanges({ id, owner, name: `job of ${owner}`, ...changes }, [
    { name: 'render', untouched: 'ready', taskCount: 3, space: FRAMES(3), touched: new Map() },
  ]);

/** Alice has one job and bob has one; a third has an owner without an account. */
function furnish(api: ApiFixture): void {
  api.write(
    put('farm', keys.farm(FARM), farmRecord()),
    put('queue', keys.queue(QUEUE), queueRecord()),
    put('worker', keys.worker(WORKER), workerRecord()),
    ...jobOf(MINE, 'Alice'),
    ...jobOf(FOREIGN, 'bob', { dependsOn: [MINE] }),
    ...jobOf(NOBODYS, 'ghost', { status: 'paused' }),
  );
}

void test('lists and counts have the jobs of the owner only', async (t) => {
  const { api, as } = await startSignedIn(t);
  furnish(api);
  const totals = async (name: 'alice' | 'bob' | 'rita' | 'oscar', path: string): Promise<unknown> => {
    const { body } = await as(name).get(path);
    return (body as { total: number }).total;
  };
  for (const path of ['/api/v1/jobs', '/api/v1/jobs/summary', '/api/v1/jobs?search=job']) {
    t.equal(await totals('alice', path), 1, path);
    t.equal(await totals('bob', path), 1, path);
    t.equal(await totals('rita', path), 3, path);
    t.equal(await totals('oscar', path), 3, path);
  }
  t.match(await as('alice').get('/api/v1/jobs'), { body: { items: [{ id: MINE, owner: 'Alice' }] } });
  for (const path of ['/api/v1/jobs?owner=bob', '/api/v1/jobs?search=bob', `/api/v1/jobs?search=${FOREIGN}`])
    t.equal(await totals('alice', path), 0, path);
  t.equal(await totals('alice', `/api/v1/jobs/${MINE}/dependents`), 0, 'the dependent of bob is not counted');
  t.equal(await totals('oscar', `/api/v1/jobs/${MINE}/dependents`), 1);
  t.match(await as('bob').get(`/api/v1/jobs/${FOREIGN}`), { status: 200 });
  t.notOk(
    'depends_on' in ((await as('bob').get(`/api/v1/jobs/${FOREIGN}`)).body as object),
    'the upstream job of alice is not named',
  );
  t.match(await as('oscar').get(`/api/v1/jobs/${FOREIGN}`), { body: { depends_on: [MINE] } });
  const connected = async (name: 'alice' | 'bob' | 'oscar', id: JobId): Promise<readonly string[]> => {
    const { body } = await as(name).get(`/api/v1/jobs/${id}/graph`);
    return (body as { items: { id: string }[] }).items.map((job) => job.id);
  };
  t.strictSame(await connected('alice', MINE), [MINE]);
  t.strictSame(await connected('bob', FOREIGN), [FOREIGN]);
  t.strictSame(await connected('oscar', FOREIGN), [FOREIGN, MINE]);
});

const READS = (id: JobId): readonly string[] => [
  ...['', '/tasks', '/steps', '/failures', '/task-grid', '/template', '/dependents', '/graph'].map(
    (part) => `/api/v1/jobs/${id}${part}`,
  ),
  ...['', '/attempts', '/explain', '/logs', '/logs?tail=true', '/log'].map(
    (part) => `/api/v1/tasks/${taskIdAt(0, 0, id)}${part}`,
  ),
  `/api/v1/tasks/${taskIdAt(0, 99, id)}`,
  `/api/v1/tasks/${taskIdAt(9, 0, id)}/log`,
];

void test("another user's job is refused with 403, an unknown one with 404", async (t) => {
  const { api, as } = await startSignedIn(t);
  furnish(api);
  const detail = 'this job belongs to another user';
  for (const path of [...READS(FOREIGN), ...READS(NOBODYS)])
    t.match(await as('alice').get(path), { status: 403, body: { detail } }, path);
  for (const path of READS(UNKNOWN)) t.match(await as('alice').get(path), { status: 404 }, path);
  const task = `/api/v1/tasks/${taskIdAt(0, 0, FOREIGN)}`;
  const job = `/api/v1/jobs/${FOREIGN}`;
  for (const path of [`${job}/cancel`, `${job}/retry`, `${task}/cancel`, `${task}/retry`])
    t.match(await as('alice').send('POST', path), { status: 403, body: { detail } }, path);
  t.match(await as('alice').send('DELETE', job), { status: 403 });
  t.match(await as('alice').json('PATCH', job, { priority: 1 }), { status: 403 });
  const forbidden = { body: { total: 1, changed: 0, results: [{ status: 403, problem: { detail } }] } };
  const bulk = { action: 'cancel', ids: [FOREIGN] };
  t.match(await as('alice').json('POST', '/api/v1/jobs/bulk', bulk), forbidden);
  const tasks = { action: 'retry', ids: [taskIdAt(0, 0, FOREIGN)] };
  t.match(await as('alice').json('POST', '/api/v1/tasks/bulk', tasks), forbidden);
  const ofJob = { action: 'cancel', filter: { job_id: FOREIGN } };
  t.match(await as('alice').json('POST', '/api/v1/tasks/bulk', ofJob), { status: 403 });
  const all = { action: 'cancel', filter: { farm_id: FARM } };
  t.match(await as('alice').json('POST', '/api/v1/jobs/bulk', all), {
    body: { total: 1, results: [{ id: MINE }] },
  });
  t.strictSame(
    [...new Set(api.asked.map(({ id }) => id))],
    [MINE],
    'no actor of a foreign job got a message',
  );
});

void test('a cached response is not given to a reader with another scope', async (t) => {
  const { api, as } = await startSignedIn(t);
  api.write(put('farm', keys.farm(FARM), farmRecord()), put('queue', keys.queue(QUEUE), queueRecord()));
  api.write(...jobOf(MINE, 'alice', { status: 'completed' }));
  const path = `/api/v1/jobs/${MINE}`;
  t.equal((await as('oscar').get(path)).status, 200);
  t.equal((await as('oscar').get(path)).status, 200);
  t.equal((await as('bob').get(path)).status, 403);
  t.equal((await as('alice').get(path)).status, 200);
  t.equal((await as('bob').get(path)).status, 403);
});

void test('statistics count the tasks of the owner, and show the load of the farm', async (t) => {
  const { api, as } = await startSignedIn(t);
  furnish(api);
  const tasks = { pending: 0, ready: 9, assigned: 0, running: 0, unschedulable: 0 };
  api.activity = {
    ...api.activity,
    state: { ...api.activity.state, tasks, cores: { total: 8, committed: 5 } },
  };
  t.match(await as('alice').get('/api/v1/stats'), {
    body: { jobs: { total: 1 }, tasks: { ready: 3, running: 0 }, cores: { total: 8, committed: 5 } },
  });
  t.match(await as('rita').get('/api/v1/stats'), { body: { jobs: { total: 3 }, tasks: { ready: 9 } } });
  while (api.farmWatch?.scanNext() === true);
  const history = `/api/v1/stats/history?farm_id=${FARM}`;
  const { body } = await as('alice').get(history);
  t.match(body, { now: { tasks_ready: 3, queues: [], cores_total: 8 }, queues: [] });
  t.notOk('tasks_ready' in (body as object));
  t.match(await as('rita').get(history), { body: { now: { tasks_ready: 9 }, tasks_ready: [] } });
});

void test('the scheduler is asked about the waiting tasks of the owner', async (t) => {
  const { api, as } = await startSignedIn(t);
  furnish(api);
  api.answer = () => done({ groups: [], isPartial: false });
  const path = `/api/v1/stats/waiting?farm_id=${FARM}`;
  t.match(await as('alice').get(path), { body: { tasks: 0 } });
  t.match(api.asked.at(-1), { message: { type: 'farm.explain', jobIds: [MINE] } });
  t.match(await as('bob').get(path), { body: { tasks: 0 } });
  t.match(api.asked.at(-1), { message: { jobIds: [FOREIGN] } }, 'the reply for alice is not shared');
  t.match(await as('oscar').get(path), { body: { tasks: 3, groups: [{ job_ids: [NOBODYS] }] } });
  t.match(api.asked.at(-1), { message: { jobIds: null } });
  t.equal(api.asked.length, 3);
});

void test('an explanation names no job of others, and no numbers of them', async (t) => {
  const { api, as } = await startSignedIn(t);
  furnish(api);
  const holders = [
    { jobId: FOREIGN, stepOrder: 0, live: 5 },
    { jobId: MINE, stepOrder: 0, live: 3 },
  ];
  const lease = leaseExplanation({
    pools: [{ name: 'nuke', maxConcurrent: 8, inUse: 8, holders }],
    before: { tasks: 40, jobs: 2 },
  });
  api.answer = () => done(lease);
  const path = `/api/v1/tasks/${taskIdAt(0, 0, MINE)}/explain`;
  const all = await as('oscar').get(path);
  t.match(all, { body: { position: { tasks: 40, jobs: 2 } } });
  t.match(all.text, /job job of bob \(render\) 5|job job of bob \(render\) holds 5/);
  const own = await as('alice').get(path);
  t.match(own.body, { summary: /this job \(render\) holds 3 and others 5/ });
  t.notMatch(own.text, /bob/);
  t.notOk('position' in (own.body as object));
  t.match(own.text, /Other tasks are ahead of it\./);
  t.notMatch(own.text, new RegExp(FOREIGN));
});

void test('an upstream job of someone else is explained without its name', async (t) => {
  const { api, as } = await startSignedIn(t);
  furnish(api);
  api.write(
    ...jobChanges(
      { id: FOREIGN, owner: 'bob', name: 'later', status: 'blocked', dependsOn: [MINE, NOBODYS] },
      [{ name: 'render', untouched: 'pending', taskCount: 1, space: FRAMES(1), touched: new Map() }],
    ),
  );
  api.answer = () => done(leaseExplanation());
  const path = `/api/v1/tasks/${taskIdAt(0, 0, FOREIGN)}/explain`;
  const { body, text } = await as('bob').get(path);
  t.match(body, {
    summary: 'Waits for a job that you cannot see.',
    gates: [{ gate: 'upstream_job', sentence: 'Waits for a job that you cannot see.' }],
  });
  t.equal((body as { gates: unknown[] }).gates.length, 1, 'their number is not told');
  t.notMatch(text, /Alice|ghost/);
  t.match((await as('oscar').get(path)).text, /job of Alice/);
});

void test('workers show the tasks and failures of the owner', async (t) => {
  const { api, as } = await startSignedIn(t);
  furnish(api);
  const bookingOf = (jobId: JobId) => ({
    attemptId: attemptIdOf({ jobId, stepOrder: 0, index: 0, attemptNumber: 1 }),
    cores: 2,
    pools: [],
  });
  const failure = (jobId: JobId, failures: number) => ({ jobId, stepOrder: 0, failures, lastAt: 1 });
  api.write(
    put('booking', keys.booking(WORKER), {
      version: 1,
      bookings: [bookingOf(MINE), bookingOf(FOREIGN), bookingOf(UNKNOWN)],
    }),
    put('workerFailures', keys.workerFailures(WORKER), {
      version: 1,
      total: 70,
      steps: [failure(FOREIGN, 4), failure(MINE, 2)],
    }),
  );
  const path = `/api/v1/workers/${WORKER}`;
  const { body } = await as('alice').get(path);
  t.match(body, {
    committed_cores: 6,
    current_task_count: 1,
    current_tasks: [{ job_id: MINE }],
    failed_attempts: 2,
    failures: [{ job_id: MINE, failures: 2 }],
  });
  t.equal((body as { current_tasks: unknown[] }).current_tasks.length, 1);
  t.match(await as('bob').get('/api/v1/workers'), {
    body: { items: [{ current_task_count: 1, failed_attempts: 4 }] },
  });
  t.match(await as('oscar').get(path), { body: { current_task_count: 3, failed_attempts: 70 } });
  api.answer = () => done({ retried: 1, status: 'ready', jobStatus: 'running', steps: [] });
  t.match(await as('alice').send('POST', `${path}/retry-failed`), { body: { jobs: [{ job_id: MINE }] } });
  t.strictSame(
    api.asked.map(({ id }) => id),
    [MINE],
    'only the job of alice is retried',
  );
});

void test('a retry with dependents leaves the jobs of others as they are', async (t) => {
  const { api, as } = await startSignedIn(t);
  furnish(api);
  const canceled = { status: 'canceled', cancelReason: 'canceled: upstream job failed' } as const;
  api.write(...jobOf(FOREIGN, 'bob', { ...canceled, dependsOn: [MINE] }));
  api.write(...jobOf(jobNumber(4), 'ALICE', { ...canceled, dependsOn: [MINE] }));
  api.answer = () => done({ retried: 1, status: 'ready', jobStatus: 'running', steps: [] });
  const path = `/api/v1/jobs/${MINE}/retry?with_dependents=true`;
  const { body } = await as('alice').send('POST', path);
  t.match(body, { dependents: [{ job_id: jobNumber(4) }] });
  t.equal((body as { dependents: unknown[] }).dependents.length, 1);
  t.strictSame(
    api.asked.map(({ id }) => id),
    [MINE, jobNumber(4)],
  );
});
