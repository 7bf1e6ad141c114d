import { test } from 'tap';
import { replyTo } from '../../../actors/kernel/address.ts';
import { attemptIdOf, farmId, queueId } from '../../../src/core/ids.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import type { JobRecord } from '../../../src/core/records/job.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import type { Client } from '../kit/client.ts';
import {
  attemptRecord,
  FARM,
  FRAMES,
  jobChanges,
  jobNumber,
  jobRecord,
  QUEUE,
  T0,
  taskIdAt,
  taskState,
  uuid,
  WORKER,
} from '../kit/records.ts';

const JOB = jobNumber(1);
const task = (stepOrder: number, index: number) => ({ jobId: JOB, stepOrder, index });

function addJobs(fixture: ApiFixture, jobs: readonly Partial<JobRecord>[]): void {
  for (const [nth, changes] of jobs.entries()) {
    const id = jobNumber(nth + 1);
    fixture.write(
      put('job', keys.job(id), jobRecord({ id, createdAt: T0 + nth, updatedAt: T0 + nth, ...changes })),
    );
  }
}

async function names(client: Client, query: string): Promise<unknown> {
  const { body } = await client.get(`/api/v1/jobs?${query}`);
  const page = body as { items: { name: string }[]; total: number };
  return [page.items.map((item) => item.name).join(' '), page.total];
}

void test('filters, searches, sorts and pages jobs', async (t) => {
  const { api, client } = await startApi(t);
  t.same((await client.get('/api/v1/jobs')).body, { items: [], total: 0, limit: 50, offset: 0 });
  addJobs(api, [
    { name: 'alpha', priority: 10, status: 'running', owner: 'ada', project: 'film', updatedAt: T0 + 900 },
    {
      name: 'beta',
      priority: 90,
      status: 'completed',
      owner: 'Grace',
      project: '',
      queueId: queueId(uuid('b', 2)),
    },
    {
      name: 'gamma',
      priority: 10,
      status: 'canceled',
      owner: 'ada',
      project: 'Film',
      farmId: farmId(uuid('f', 2)),
    },
    { name: 'Delta', priority: 50, status: 'running', owner: 'eve', project: 'tv' },
  ]);
  const cases: [string, unknown][] = [
    ['', ['alpha beta gamma Delta', 4]],
    ['sort_dir=desc', ['Delta gamma beta alpha', 4]],
    ['sort_by=priority', ['alpha gamma Delta beta', 4]],
    ['sort_by=priority&sort_dir=desc', ['beta Delta alpha gamma', 4]],
    ['sort_by=status', ['gamma beta alpha Delta', 4]],
    ['sort_by=updated_at', ['beta gamma Delta alpha', 4]],
    ['sort_by=name', ['Delta alpha beta gamma', 4]],
    ['status=running', ['alpha Delta', 2]],
    ['status=paused', ['', 0]],
    ['status=paused&status=running', ['alpha Delta', 2]],
    [
      `status=running&status=pending&status=completed&status=failed&status=canceled&owner=ada`,
      ['alpha gamma', 2],
    ],
    ['owner=ada', ['alpha gamma', 2]],
    ['owner=ADA', ['', 0]],
    ['project=film', ['alpha', 1]],
    [`queue_id=${QUEUE}`, ['alpha gamma Delta', 3]],
    [`farm_id=${FARM}&status=running&owner=eve`, ['Delta', 1]],
    ['search=FILM', ['alpha gamma', 2]],
    ['search=film+gamma', ['gamma', 1]],
    ['search=%20%20', ['alpha beta gamma Delta', 4]],
    ['search=grace', ['beta', 1]],
    [`search=${jobNumber(4).toUpperCase()}`, ['Delta', 1]],
    ['search=film+nothing', ['', 0]],
    ['limit=2&offset=1', ['beta gamma', 4]],
    ['limit=1&offset=4', ['', 4]],
    ['unknown=1&param.X=2', ['alpha beta gamma Delta', 4]],
  ];
  for (const [query, expected] of cases) t.same(await names(client, query), expected, query);
});

void test('rejects invalid list parameters', async (t) => {
  const { client } = await startApi(t);
  const cases: [string, string][] = [
    [
      'status=done',
      '/query/status/0: must be one of pending, blocked, paused, running, completed, failed, canceled',
    ],
    ['sort_by=size', '/query/sort_by: must be one of created_at, priority, status, updated_at, name'],
    ['sort_dir=up', '/query/sort_dir: must be one of asc, desc'],
    ['limit=0', '/query/limit: must be >= 1'],
    ['limit=1001', '/query/limit: must be <= 1000'],
    ['limit=', '/query/limit: must be integer'],
    ['limit=ten', '/query/limit: must be integer'],
    ['limit=1.0', '/query/limit: must be integer'],
    ['offset=-1', '/query/offset: must be >= 0'],
    ['offset=9007199254740993', '/query/offset: must be <= 9007199254740991'],
    ['limit=1&limit=2', '/query/limit: is given more than once'],
    ['limit=0&offset=-1', '/query/limit: must be >= 1; /query/offset: must be >= 0'],
    ['search=%ff', 'the query has a malformed escape'],
  ];
  for (const [query, detail] of cases) {
    t.match(await client.get(`/api/v1/jobs?${query}`), { status: 400, body: { detail } }, query);
  }
  t.match(await client.get('/api/v1/queues?paused=1'), {
    status: 400,
    body: { detail: '/query/paused: must be boolean' },
  });
});

void test('returns a job with its steps', async (t) => {
  const { api, client } = await startApi(t);
  t.equal((await client.get(`/api/v1/jobs/${JOB}`)).status, 404);
  t.equal((await client.get('/api/v1/jobs/a%2Fb%00')).status, 404);
  const failed = taskState({ status: 'failed', failedAttempts: 3, hasText: true });
  const canceled = taskState({ status: 'canceled', hasText: true });
  api.write(
    ...jobChanges(
      {
        description: 'all frames',
        dependsOn: [jobNumber(8)],
        extensions: ['EXPR'],
        parkReason: 'failure limit reached',
        cancelReason: 'canceled: upstream job failed',
        failedAttempts: 4,
        retry: { maxAttempts: 1 },
      },
      [
        {
          name: 'render',
          untouched: 'ready',
          taskCount: 40,
          space: FRAMES(40),
          computeLocation: 'berlin',
          touched: new Map([
            [0, failed],
            [35, failed],
            [36, failed],
            [2, canceled],
          ]),
        },
        {
          name: 'assemble',
          untouched: 'pending',
          taskCount: 1,
          space: { kind: 'single' },
          touched: new Map(),
        },
      ],
    ),
    put('taskText', keys.taskText(task(0, 0)), { version: 1, failureReason: 'no licence' }),
    put('taskText', keys.taskText(task(0, 35)), { version: 1, failureReason: 'exit 7' }),
    put('taskText', keys.taskText(task(0, 36)), { version: 1, failureReason: 'exit 7' }),
    put('taskText', keys.taskText(task(0, 2)), { version: 1, failureReason: 'canceled by user' }),
  );
  const none = {
    total: 0,
    pending: 0,
    ready: 0,
    assigned: 0,
    running: 0,
    succeeded: 0,
    failed: 0,
    canceled: 0,
    unschedulable: 0,
  };
  t.same((await client.get(`/api/v1/jobs/${JOB}`)).body, {
    id: JOB,
    farm_id: FARM,
    queue_id: QUEUE,
    name: 'fractal',
    owner: 'ada',
    submitter: 'anonymous',
    priority: 50,
    project: 'demo',
    status: 'pending',
    template_format: 'yaml',
    created_at: '2026-11-20T10:00:00.000Z',
    updated_at: '2026-11-20T10:00:00.000Z',
    failed_attempts: 4,
    first_failure: 'no licence',
    park_reason: 'failure limit reached',
    cancel_reason: 'canceled: upstream job failed',
    effective_retry: { max_attempts: 1, retry_delay_seconds: 10, failure_limit: 0 },
    task_counts: { ...none, total: 41, pending: 1, ready: 36, failed: 3, canceled: 1 },
    description: 'all frames',
    steps: [
      {
        id: `${JOB}-0`,
        job_id: JOB,
        name: 'render',
        order: 0,
        status: 'ready',
        compute_location: 'berlin',
        task_counts: { ...none, total: 40, ready: 36, failed: 3, canceled: 1 },
        created_at: '2026-11-20T10:00:00.000Z',
        updated_at: '2026-11-20T10:00:00.005Z',
      },
      {
        id: `${JOB}-1`,
        job_id: JOB,
        name: 'assemble',
        order: 1,
        status: 'ready',
        depends_on: ['render'],
        task_counts: { ...none, total: 1, pending: 1 },
        created_at: '2026-11-20T10:00:00.000Z',
        updated_at: '2026-11-20T10:00:00.005Z',
      },
    ],
    own_retry: { max_attempts: 1 },
    failure_summary: { failed_count: 3, dominant_reason: 'exit 7', distinct_reasons: 2 },
    depends_on: [jobNumber(8)],
    parameters: { Scene: 'mandelbrot' },
    extensions: ['EXPR'],
  });
});

void test('tasks contain state, worker, times and texts', async (t) => {
  const { api, client } = await startApi(t);
  api.write(
    ...jobChanges({}, [
      {
        name: 'render',
        untouched: 'ready',
        taskCount: 3,
        space: FRAMES(3),
        touched: new Map([
          [
            0,
            taskState({
              status: 'running',
              attemptNumber: 2,
              assignedAt: T0 + 10,
              updatedAt: T0 + 20,
              workerOrdinal: 1,
              failedAttempts: 1,
            }),
          ],
          [
            1,
            taskState({
              status: 'ready',
              attemptNumber: 1,
              retryAfter: T0 + 60_000,
              updatedAt: T0 + 30,
              workerOrdinal: 1,
              failedAttempts: 1,
            }),
          ],
        ]),
      },
      {
        name: 'assemble',
        untouched: 'canceled',
        taskCount: 1,
        space: { kind: 'single' },
        touched: new Map(),
      },
    ]),
    put('workerOrdinal', keys.workerOrdinal(FARM, 1), { version: 1, workerId: WORKER }),
    put(
      'attempt',
      keys.attempt(task(0, 0), 1),
      attemptRecord({
        id: attemptIdOf({ ...task(0, 0), attemptNumber: 1 }),
        status: 'failed',
        endedAt: T0 + 5,
        exitCode: 7,
        message: 'boom',
        reclaimed: true,
      }),
    ),
    put(
      'attempt',
      keys.attempt(task(0, 0), 2),
      attemptRecord({
        id: attemptIdOf({ ...task(0, 0), attemptNumber: 2 }),
        attemptNumber: 2,
        startedAt: T0 + 10,
      }),
    ),
  );
  const shared = { job_id: JOB, step_id: `${JOB}-0`, created_at: '2026-11-20T10:00:00.000Z' };
  const running = {
    ...shared,
    id: taskIdAt(0, 0),
    name: 'render[Frame=1]',
    parameters: { Frame: '1' },
    status: 'running',
    assigned_worker_id: WORKER,
    assigned_at: '2026-11-20T10:00:00.010Z',
    started_at: '2026-11-20T10:00:00.010Z',
    updated_at: '2026-11-20T10:00:00.020Z',
    failed_attempts: 1,
  };
  const held = {
    ...shared,
    id: taskIdAt(0, 1),
    name: 'render[Frame=2]',
    parameters: { Frame: '2' },
    status: 'ready',
    updated_at: '2026-11-20T10:00:00.030Z',
    retry_after: '2026-11-20T10:01:00.000Z',
    failed_attempts: 1,
  };
  const untouched = {
    ...shared,
    id: taskIdAt(0, 2),
    name: 'render[Frame=3]',
    parameters: { Frame: '3' },
    status: 'ready',
    updated_at: '2026-11-20T10:00:00.005Z',
    failed_attempts: 0,
  };
  const last = {
    id: taskIdAt(1, 0),
    job_id: JOB,
    step_id: `${JOB}-1`,
    name: 'assemble',
    status: 'canceled',
    created_at: '2026-11-20T10:00:00.000Z',
    updated_at: '2026-11-20T10:00:00.005Z',
    failed_attempts: 0,
  };
  t.same((await client.get(`/api/v1/jobs/${JOB}/tasks`)).body, {
    items: [running, held, untouched, last],
    total: 4,
    limit: 50,
    offset: 0,
  });
  t.same((await client.get(`/api/v1/jobs/${JOB}/tasks?status=ready&limit=1&offset=1`)).body, {
    items: [untouched],
    total: 2,
    limit: 1,
    offset: 1,
  });
  t.same((await client.get(`/api/v1/tasks/${taskIdAt(0, 0)}`)).body, running);
  t.same((await client.get(`/api/v1/tasks/${taskIdAt(1, 0)}`)).body, last);
  t.same((await client.get(`/api/v1/tasks/${taskIdAt(0, 0)}/attempts`)).body, {
    items: [
      {
        attempt_number: 1,
        status: 'failed',
        worker_id: WORKER,
        exit_code: 7,
        message: 'boom',
        reclaimed: true,
        started_at: '2026-11-20T10:00:00.000Z',
        ended_at: '2026-11-20T10:00:00.005Z',
      },
      { attempt_number: 2, status: 'running', worker_id: WORKER, started_at: '2026-11-20T10:00:00.010Z' },
    ],
  });
  t.same((await client.get(`/api/v1/tasks/${taskIdAt(0, 1)}/attempts`)).body, { items: [] });
});

void test('a ready task reports why no worker can run it', async (t) => {
  const { api, client } = await startApi(t);
  const touched = new Map([[1, taskState({ status: 'ready', unschedulable: true })]]);
  const sketch = { name: 'render', untouched: 'ready', taskCount: 3, space: FRAMES(3), touched } as const;
  api.write(...jobChanges({}, [sketch]));
  const step = api.store.get('step', keys.step(jobNumber(1), 0));
  if (step === undefined) throw new Error('the job has a step');
  api.write(put('step', keys.step(jobNumber(1), 0), { ...step, unschedulableReason: 'no online workers' }));
  const said = async (): Promise<unknown> => {
    const { body } = await client.get(`/api/v1/jobs/${JOB}/tasks`);
    const page = body as { items: { unschedulable_reason?: string }[] };
    return page.items.map((item) => item.unschedulable_reason);
  };
  t.same(await said(), [undefined, 'no online workers', undefined]);
  api.write(
    put('step', keys.step(jobNumber(1), 0), {
      ...step,
      unschedulableReason: 'no online workers',
      untouched: { ...step.untouched, unschedulable: true },
    }),
  );
  t.same(await said(), ['no online workers', 'no online workers', 'no online workers']);
});

void test('returns 404 for unknown items', async (t) => {
  const { api, client } = await startApi(t);
  api.write(
    ...jobChanges({}, [
      { name: 'render', untouched: 'ready', taskCount: 3, space: FRAMES(3), touched: new Map() },
    ]),
  );
  const tasks = [
    taskIdAt(0, 3),
    taskIdAt(1, 0),
    taskIdAt(0, 0, jobNumber(2)),
    'x',
    `${taskIdAt(0, 0)}-1`,
    '%00',
  ];
  for (const id of tasks) {
    for (const path of [`/api/v1/tasks/${id}`, `/api/v1/tasks/${id}/attempts`, `/api/v1/tasks/${id}/logs`]) {
      t.equal((await client.get(path)).status, 404, path);
    }
    t.equal((await client.send('POST', `/api/v1/tasks/${id}/cancel`)).status, 404);
  }
  t.equal((await client.get(`/api/v1/jobs/${jobNumber(2)}/tasks`)).status, 404);
  t.equal((await client.send('POST', `/api/v1/jobs/${jobNumber(2)}/cancel`)).status, 404);
  t.equal((await client.send('DELETE', `/api/v1/jobs/${jobNumber(2)}`)).status, 404);
  t.same(api.asked, []);
});

void test('the job actor deletes a job', async (t) => {
  const { api, client } = await startApi(t);
  addJobs(api, [{ status: 'completed' }]);
  t.match(await client.send('DELETE', `/api/v1/jobs/${JOB}`), { status: 204, text: '' });
  t.same(api.asked, [{ actor: 'job', id: JOB, message: { type: 'job.delete', replyTo: replyTo('front') } }]);
  api.answer = () => refused('not-found', 'there is no such job');
  t.match(await client.send('DELETE', `/api/v1/jobs/${JOB}`), {
    status: 404,
    body: { title: 'Not Found', detail: 'there is no such job' },
  });
});

void test('the job actor cancels jobs and tasks', async (t) => {
  const { api, client } = await startApi(t);
  api.write(
    ...jobChanges({}, [
      { name: 'render', untouched: 'ready', taskCount: 3, space: FRAMES(3), touched: new Map() },
    ]),
  );
  api.answer = () => done(null);
  t.match(await client.send('POST', `/api/v1/jobs/${JOB}/cancel`), { status: 204, text: '' });
  t.match(await client.send('POST', `/api/v1/tasks/${taskIdAt(0, 2)}/cancel`), {
    status: 202,
    body: { task_id: taskIdAt(0, 2), status: 'canceled' },
  });
  t.same(api.asked, [
    { actor: 'job', id: JOB, message: { type: 'job.cancel', replyTo: replyTo('front') } },
    {
      actor: 'job',
      id: JOB,
      message: { type: 'task.cancel', stepOrder: 0, index: 2, replyTo: replyTo('front') },
    },
  ]);
  api.answer = () => refused('conflict', 'the job is completed already');
  t.match(await client.send('POST', `/api/v1/jobs/${JOB}/cancel`), {
    status: 409,
    body: { detail: 'the job is completed already' },
  });
  t.equal((await client.send('POST', `/api/v1/tasks/${taskIdAt(0, 2)}/cancel`)).status, 409);
});

void test('limits the length of a search', async (t) => {
  const { api, client } = await startApi(t);
  addJobs(api, [{ name: 'alpha' }]);
  const words = (length: number): string => 'a '.repeat(length).slice(0, length);
  t.equal((await client.get(`/api/v1/jobs?search=${encodeURIComponent(words(500))}`)).status, 200);
  const tooLong = encodeURIComponent(words(501));
  t.equal((await client.get(`/api/v1/jobs?search=${tooLong}`)).status, 400);
  t.equal((await client.get(`/api/v1/jobs/summary?search=${tooLong}`)).status, 400);
  const filter = { search: words(501) };
  t.equal((await client.json('POST', '/api/v1/jobs/bulk', { action: 'cancel', filter })).status, 400);
  t.strictSame(await names(client, 'search=alpha%20none'), ['', 0]);
  t.strictSame(await names(client, 'search=none%20alpha'), ['', 0]);
});
