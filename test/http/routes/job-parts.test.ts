import { test } from 'tap';
import { farmId, workerId } from '../../../src/core/ids.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { countsOf } from '../../../src/core/lifecycle/task-counts.ts';
import { TASK_STATUSES } from '../../../src/core/lifecycle/task-transitions.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import {
  FARM,
  FRAMES,
  jobChanges,
  jobNumber,
  jobRecord,
  T0,
  taskIdAt,
  taskState,
  uuid,
  WORKER,
  workerRecord,
} from '../kit/records.ts';

const JOB = jobNumber(1);
const PATH = `/api/v1/jobs/${JOB}`;

void test('counts jobs by status, with the filters of the list', async (t) => {
  const { api, client } = await startApi(t);
  const jobs = [
    jobRecord({ id: jobNumber(1), status: 'failed', project: 'x' }),
    jobRecord({ id: jobNumber(2), status: 'running', owner: 'bob', name: 'Shot 7' }),
    jobRecord({ id: jobNumber(3), status: 'running' }),
  ];
  api.write(...jobs.map((job) => put('job', keys.job(job.id), job)));
  const none = { pending: 0, blocked: 0, paused: 0, running: 0, completed: 0, failed: 0, canceled: 0 };
  const counted = async (query: string): Promise<unknown> =>
    (await client.get(`/api/v1/jobs/summary${query}`)).body;
  t.strictSame(await counted(''), { total: 3, ...none, running: 2, failed: 1 });
  t.strictSame(await counted('?owner=bob'), { total: 1, ...none, running: 1 });
  t.strictSame(await counted('?search=SHOT'), { total: 1, ...none, running: 1 });
  t.strictSame(
    await counted('?project=x&status=running'),
    { total: 1, ...none, failed: 1 },
    'the status filter is ignored',
  );
  t.strictSame(await counted('?farm_id=none'), { total: 0, ...none });
  t.equal((await client.get('/api/v1/jobs/summary?owner=a&owner=b')).status, 400);
  t.equal((await client.send('DELETE', '/api/v1/jobs/summary')).status, 405, 'no job has this id');
});

const ENCODE = { name: 'encode', untouched: 'pending', taskCount: 3, space: FRAMES(3) } as const;

void test('returns the same steps as the job detail', async (t) => {
  const { api, client } = await startApi(t);
  api.write(
    ...jobChanges({}, [
      { name: 'render', untouched: 'ready', taskCount: 2, space: FRAMES(2), touched: new Map() },
      { ...ENCODE, touched: new Map() },
    ]),
  );
  const { body } = await client.get(`${PATH}/steps`);
  const detail = (await client.get(PATH)).body as { steps: unknown };
  t.strictSame(body, { items: detail.steps });
  t.match(body, { items: [{ name: 'render' }, { name: 'encode', order: 1 }] });
  t.equal((await client.get(`/api/v1/jobs/${jobNumber(2)}/steps`)).status, 404);
});

void test('returns the template unchanged', async (t) => {
  const { api, client } = await startApi(t);
  const yaml = '# é\r\nname: x\n';
  api.write(put('job', keys.job(JOB), jobRecord()));
  api.write(put('template', keys.template(JOB), { version: 1, format: 'yaml', text: yaml }));
  const answer = await client.get(`${PATH}/template`);
  t.match(answer, { status: 200, text: yaml, headers: { 'content-type': 'application/x-yaml' } });
  const tag = answer.headers['etag'] ?? '';
  t.equal((await client.get(`${PATH}/template`, { 'if-none-match': tag })).status, 304);
  const json = '{ "name":  "x" }';
  api.write(put('template', keys.template(JOB), { version: 1, format: 'json', text: json }));
  t.match(await client.get(`${PATH}/template`, { 'if-none-match': tag }), {
    status: 200,
    text: json,
    headers: { 'content-type': 'application/json' },
  });
  t.equal((await client.get(`/api/v1/jobs/${jobNumber(2)}/template`)).status, 404);
});

void test('returns the direct dependents of a job in any status', async (t) => {
  const { api, client } = await startApi(t);
  const [one, two, three, four] = [1, 2, 3, 4].map(jobNumber);
  if (one === undefined || two === undefined || three === undefined || four === undefined) throw new Error();
  api.write(
    put('job', keys.job(four), jobRecord({ id: four, name: 'd', status: 'canceled', dependsOn: [one, two] })),
    put('job', keys.job(one), jobRecord({ id: one })),
    put('job', keys.job(three), jobRecord({ id: three, name: 'c', status: 'blocked', dependsOn: [one] })),
    put('job', keys.job(two), jobRecord({ id: two, dependsOn: [three] })),
  );
  const items = [
    { id: three, name: 'c', status: 'blocked' },
    { id: four, name: 'd', status: 'canceled' },
  ];
  const list = async (query = ''): Promise<unknown> => (await client.get(`${PATH}/dependents${query}`)).body;
  t.strictSame(await list(), { items, total: 2, limit: 50, offset: 0 });
  t.strictSame(await list('?limit=1&offset=1'), { items: items.slice(1), total: 2, limit: 1, offset: 1 });
  api.write({ op: 'remove', table: 'job', key: keys.job(three) });
  t.strictSame(await list(), { items: items.slice(1), total: 1, limit: 50, offset: 0 });
  t.equal((await client.get(`/api/v1/jobs/${three}/dependents`)).status, 404, 'a deleted job');
  t.match(await client.get(`/api/v1/jobs/${four}/dependents`), { status: 200, body: { total: 0 } });
  t.equal((await client.get(`${PATH}/dependents?limit=0`)).status, 400);
});

/** Stores tasks of every status and without a record, over several blocks of pages. */
function writeGrid(fixture: ApiFixture): string {
  const count = 5000;
  const touched = new Map(
    [...TASK_STATUSES.entries()].map(([nth, status]) => [nth * 700, taskState({ status })] as const),
  );
  touched.set(4999, taskState({ status: 'ready', unschedulable: true }));
  const changes = jobChanges({}, [
    { name: 'render', untouched: 'ready', taskCount: count, space: FRAMES(count), touched },
    { ...ENCODE, touched: new Map() },
  ]);
  for (const change of changes) {
    const marked = { ...countsOf(count, 'ready'), unschedulable: 1 };
    if (change.op !== 'put' || change.table !== 'step' || change.value.order !== 0) fixture.write(change);
    else fixture.write(put('step', change.key, { ...change.value, taskCounts: marked }));
  }
  const cells = Array.from({ length: count }, () => 'Q');
  for (const [index, { status, unschedulable }] of touched) {
    const letter = {
      pending: 'P',
      ready: 'Q',
      assigned: 'A',
      running: 'R',
      succeeded: 'S',
      failed: 'F',
      canceled: 'C',
    };
    cells[index] = unschedulable ? 'U' : letter[status];
  }
  return cells.join('');
}

void test('the grid has one character per task, in task order', async (t) => {
  const { api, client } = await startApi(t);
  const cells = writeGrid(api);
  const axis = (count: number) => ({ parameter: 'Frame', type: 'INT', runs: [{ start: 1, step: 1, count }] });
  const render = { id: `${JOB}-0`, name: 'render', order: 0, axis: axis(5000), cells };
  const encode = { id: `${JOB}-1`, name: 'encode', order: 1, axis: axis(3), cells: 'PPP' };
  const answer = await client.get(`${PATH}/task-grid`);
  t.strictSame(answer.body, {
    job_id: JOB,
    legend: {
      P: 'pending',
      Q: 'ready',
      U: 'unschedulable',
      A: 'assigned',
      R: 'running',
      S: 'succeeded',
      F: 'failed',
      C: 'canceled',
      K: 'skipped',
    },
    steps: [render, encode],
  });
  for (const step of ['encode', `${JOB}-1`]) {
    t.match((await client.get(`${PATH}/task-grid?step=${step}`)).body, { steps: [encode] });
  }
  t.match(await client.get(`${PATH}/task-grid?step=comp`), {
    status: 400,
    body: { detail: '/query/step: the job has no such step' },
  });
  t.equal((await client.get(`/api/v1/jobs/${jobNumber(2)}/task-grid`)).status, 404);
  const tag = answer.headers['etag'] ?? '';
  t.equal((await client.get(`${PATH}/task-grid`, { 'if-none-match': tag })).status, 304);
});

void test('all untouched tasks of an unschedulable step are marked', async (t) => {
  const { api, client } = await startApi(t);
  const touched = new Map([[1, taskState({ status: 'succeeded' })]]);
  const changes = jobChanges({}, [{ ...ENCODE, untouched: 'ready', touched }]);
  api.write(
    ...changes.map((change) =>
      change.op === 'put' && change.table === 'step'
        ? put('step', change.key, {
            ...change.value,
            taskCounts: { ...change.value.taskCounts, unschedulable: 2 },
            untouched: { status: 'ready', updatedAt: T0, failureReason: '', unschedulable: true },
          })
        : change,
    ),
  );
  t.match((await client.get(`${PATH}/task-grid`)).body, { steps: [{ cells: 'USU' }] });
});

void test('a very large job has one grid per step', async (t) => {
  const { api, client } = await startApi(t);
  const large = {
    untouched: 'pending',
    taskCount: 2_000_001,
    space: FRAMES(2_000_001),
    touched: new Map(),
  } as const;
  api.write(
    ...jobChanges({}, [
      { name: 'a', ...large },
      { name: 'b', ...large },
    ]),
  );
  t.match(await client.get(`${PATH}/task-grid`), {
    status: 400,
    body: { detail: '/query/step: is required: the job has 4000002 tasks; a grid has at most 4000000' },
  });
  const { body } = await client.get(`${PATH}/task-grid?step=b`);
  const { steps } = body as { steps: readonly { cells: string }[] };
  t.equal(steps[0]?.cells.length, 2_000_001);
  api.write(
    ...jobChanges({ id: jobNumber(2) }, [
      { name: 'c', ...large, taskCount: 4_000_001, space: FRAMES(4_000_001) },
    ]),
  );
  for (const query of ['', '?step=c']) {
    t.match(await client.get(`/api/v1/jobs/${jobNumber(2)}/task-grid${query}`), {
      status: 400,
      body: { detail: '/query/step: the step has 4000001 tasks; a grid has at most 4000000' },
    });
  }
});

void test('returns the statistics of the service', async (t) => {
  const { api, client } = await startApi(t);
  api.write(put('job', keys.job(JOB), jobRecord({ status: 'completed' })));
  const tasks = { pending: 1, ready: 2, assigned: 3, running: 4, unschedulable: 1 };
  const workers = { online: 3, offline: 1, disabled: 2 };
  api.activity = {
    state: { ...api.activity.state, tasks, workers, cores: { total: 24, committed: 6.5 } },
    parkedRequests: 3,
    leasedPerSecond: 12,
  };
  t.strictSame((await client.get('/api/v1/stats')).body, {
    jobs: { total: 1, pending: 0, blocked: 0, paused: 0, running: 0, completed: 1, failed: 0, canceled: 0 },
    tasks,
    workers,
    cores: { total: 24, committed: 6.5 },
    parked_requests: 3,
    leased_tasks_per_second: 12,
  });
});

void test('retries the failures of a worker in all jobs with stored failures', async (t) => {
  const { api, client } = await startApi(t);
  const path = `/api/v1/workers/${WORKER}/retry-failed`;
  t.equal((await client.send('POST', path)).status, 404);
  api.write(put('worker', keys.worker(WORKER), workerRecord({ ordinal: 7 })));
  t.same((await client.send('POST', path)).body, { worker_id: WORKER, retried: 0, jobs: [] });
  const jobs = [1, 2, 3, 4].map(jobNumber);
  const steps = [...jobs, ...jobs].map((jobId, nth) => ({ jobId, stepOrder: nth, failures: 1, lastAt: T0 }));
  api.write(
    ...jobs.slice(0, 3).map((id) => put('job', keys.job(id), jobRecord({ id }))),
    put('workerFailures', keys.workerFailures(WORKER), { version: 1, total: 8, steps }),
  );
  api.answer = ({ id }) =>
    id === jobs[1]
      ? refused('conflict', 'no queue')
      : done({ retried: id === jobs[0] ? 5 : 0, status: null, jobStatus: 'pending', steps: [] });
  t.same((await client.send('POST', path)).body, {
    worker_id: WORKER,
    retried: 5,
    jobs: [
      { job_id: jobs[0], retried: 5 },
      {
        job_id: jobs[1],
        retried: 0,
        problem: { type: 'about:blank', title: 'Conflict', status: 409, detail: 'no queue' },
      },
    ],
  });
  t.match(api.asked, [
    {
      actor: 'job',
      id: jobs[0],
      message: { type: 'job.retry', request: { target: { selection: { workerOrdinal: 7 } } } },
    },
    { id: jobs[1] },
    { id: jobs[2] },
  ]);
  t.equal(api.asked.length, 3, 'a deleted job gets no message');
});

void test('a worker that moved between farms has an ordinal in each', async (t) => {
  const { api, client } = await startApi(t);
  const [former, strange] = [2, 3].map((number) => farmId(uuid('f', number)));
  if (former === undefined || strange === undefined) return;
  const ids = [1, 2, 3].map(jobNumber);
  const farms = [FARM, former, strange];
  const steps = ids.map((jobId) => ({ jobId, stepOrder: 0, failures: 1, lastAt: T0 }));
  api.write(
    put('worker', keys.worker(WORKER), workerRecord({ ordinal: 7 })),
    put('workerOrdinal', keys.workerOrdinal(FARM, 7), { version: 1, workerId: WORKER }),
    put('workerOrdinal', keys.workerOrdinal(former, 31), { version: 1, workerId: WORKER }),
    put('workerFailures', keys.workerFailures(WORKER), { version: 1, total: 3, steps }),
    ...ids.map((id, nth) => put('job', keys.job(id), jobRecord({ id, farmId: farms[nth] ?? FARM }))),
  );
  api.answer = () => done({ retried: 1, status: null, jobStatus: 'pending', steps: [] });
  const targets = (): unknown =>
    api.asked
      .splice(0)
      .map(({ id, message }) => [id, message.type === 'job.retry' ? message.request.target : null]);
  t.equal((await client.send('POST', `/api/v1/workers/${WORKER}/retry-failed`)).status, 200);
  t.strictSame(targets(), [
    [ids[0], { selection: { workerOrdinal: 7 } }],
    [ids[1], { selection: { workerOrdinal: 31 } }],
  ]);
  const retry = (nth: number) =>
    client.json('POST', `/api/v1/jobs/${ids[nth] ?? ''}/retry`, { worker_id: WORKER });
  t.equal((await retry(1)).status, 200);
  t.strictSame(targets(), [[ids[1], { selection: { workerOrdinal: 31 } }]]);
  t.equal((await retry(2)).status, 400);
});

void test('groups failed tasks by reason, with the first tasks and workers of each', async (t) => {
  const { api, client } = await startApi(t);
  const failed = (workerOrdinal: number) => taskState({ status: 'failed', hasText: true, workerOrdinal });
  const touched = new Map(
    Array.from({ length: 30 }, (_, index) => [index, failed(index % 2 === 0 ? 1 : 3)] as const),
  );
  const text = (index: number, failureReason: string) =>
    put('taskText', keys.taskText({ jobId: JOB, stepOrder: 0, index }), { version: 1, failureReason });
  api.write(
    ...jobChanges({}, [
      {
        name: 'render',
        untouched: 'ready',
        taskCount: 40,
        space: FRAMES(40),
        touched: new Map([
          ...touched,
          [30, failed(2)],
          [31, failed(0)],
          [32, taskState({ status: 'canceled', hasText: true })],
        ]),
      },
    ]),
    put('workerOrdinal', keys.workerOrdinal(FARM, 1), { version: 1, workerId: WORKER }),
    put('worker', keys.worker(WORKER), workerRecord({ id: WORKER, name: 'node-1' })),
    put('workerOrdinal', keys.workerOrdinal(FARM, 2), { version: 1, workerId: workerId(uuid('e', 2)) }),
    text(30, 'exit 1'),
    text(31, 'exit 1'),
    text(32, 'canceled by hand'),
    ...[...touched.keys()].map((index) => text(index, 'exit 7')),
  );
  const ids = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, nth) => taskIdAt(0, from + nth));
  t.strictSame((await client.get(`${PATH}/failures`)).body, {
    job_id: JOB,
    failed_count: 32,
    groups: [
      // The worker with the third ordinal was deleted.
      { reason: 'exit 7', count: 30, task_ids: ids(0, 20), worker_ids: [WORKER] },
      { reason: 'exit 1', count: 2, task_ids: ids(30, 32), worker_ids: [uuid('e', 2)] },
    ],
    is_partial: false,
    workers: [{ id: WORKER, name: 'node-1' }],
    axes: [
      {
        step_id: `${JOB}-0`,
        axis: { parameter: 'Frame', type: 'INT', runs: [{ start: 1, step: 1, count: 40 }] },
      },
    ],
  });
  const firstOfList = async (): Promise<unknown> => {
    const { items } = (await client.get('/api/v1/jobs')).body as { items: { first_failure?: string }[] };
    return items[0]?.first_failure;
  };
  t.equal(await firstOfList(), 'exit 7');
  api.write(
    put('taskText', keys.taskText({ jobId: JOB, stepOrder: 0, index: 0 }), {
      version: 1,
      failureReason: 'exit 7',
      errorLine: 'Error: no scene',
    }),
  );
  t.equal(await firstOfList(), 'exit 7: Error: no scene');
  api.write(...Array.from({ length: 30 }, (_, index) => text(index, `exit ${index + 10}`)));
  const many = (await client.get(`${PATH}/failures`)).body as { groups: readonly object[] };
  t.equal(many.groups.length, 31);
  t.equal((await client.get('/api/v1/jobs/none/failures')).status, 404);
});

void test('omits reasons after the first hundred and reports the omission', async (t) => {
  const { api, client } = await startApi(t);
  const all = Array.from({ length: 101 }, (_, index) => index);
  api.write(
    ...jobChanges({}, [
      {
        name: 'render',
        untouched: 'ready',
        taskCount: 101,
        space: FRAMES(101),
        touched: new Map(all.map((index) => [index, taskState({ status: 'failed', hasText: true })])),
      },
    ]),
    ...all.map((index) =>
      put('taskText', keys.taskText({ jobId: JOB, stepOrder: 0, index }), {
        version: 1,
        failureReason: `exit ${index}`,
      }),
    ),
  );
  const { body } = await client.get(`${PATH}/failures`);
  t.match(body, { failed_count: 101, is_partial: true });
  t.equal((body as { groups: readonly object[] }).groups.length, 100);
});

void test('lists the tasks of one step with their start and end', async (t) => {
  const { api, client } = await startApi(t);
  const ended = taskState({
    status: 'succeeded',
    assignedAt: T0 + 1000,
    updatedAt: T0 + 5000,
    workerOrdinal: 1,
  });
  const [render, encode, ...others] = jobChanges({}, [
    {
      name: 'render',
      untouched: 'ready',
      taskCount: 2,
      space: FRAMES(2),
      touched: new Map([[0, ended]]),
    },
    { ...ENCODE, touched: new Map() },
  ]).filter((change) => change.table !== 'job');
  api.write(
    put('job', keys.job(JOB), jobRecord()),
    ...[render, encode].flatMap((each) => each ?? []),
    ...others,
  );
  const list = async (query: string): Promise<unknown> => (await client.get(`${PATH}/tasks?${query}`)).body;
  for (const step of ['render', `${JOB}-0`]) {
    t.match(await list(`step=${step}`), {
      total: 2,
      items: [
        {
          status: 'succeeded',
          assigned_at: '2026-11-20T10:00:01.000Z',
          started_at: '2026-11-20T10:00:01.000Z',
          ended_at: '2026-11-20T10:00:05.000Z',
        },
        { status: 'ready' },
      ],
    });
  }
  t.match(await list('step=encode&limit=1&offset=1'), { total: 3, items: [{ name: 'encode[Frame=2]' }] });
  t.match(await list('step=render&status=ready&sort_by=updated_at'), {
    total: 1,
    items: [{ status: 'ready' }],
  });
  t.match(await client.get(`${PATH}/tasks?step=none`), {
    status: 400,
    body: { detail: '/query/step: the job has no such step' },
  });
});

void test('a step reports the duration of its attempts', async (t) => {
  const { api, client } = await startApi(t);
  const changes = jobChanges({}, [
    { name: 'render', untouched: 'ready', taskCount: 2, space: FRAMES(2), touched: new Map() },
  ]);
  api.write(...changes);
  t.notOk('attempt_seconds' in ((await client.get(PATH)).body as { steps: [object] }).steps[0]);
  const step = api.store.get('step', keys.step(JOB, 0));
  if (step === undefined) throw new Error('the step is missing');
  api.write(put('step', keys.step(JOB, 0), { ...step, attemptTimes: { count: 3, totalMs: 10_000 } }));
  t.match((await client.get(`${PATH}/steps`)).body, {
    items: [{ attempt_seconds: { count: 3, mean: 3.333 } }],
  });
});

void test('lists and grids have the tasks of the current chunks', async (t) => {
  const { api, client } = await startApi(t);
  const runs = [{ start: '1', step: '1', count: 6 }];
  const cut = { size: 2, constraint: 'CONTIGUOUS', greedy: true } as const;
  const space = { kind: 'axis', name: 'Frame', values: { kind: 'chunks', runs, cut } } as const;
  api.write(
    ...jobChanges({}, [{ name: 'render', untouched: 'ready', taskCount: 3, space, touched: new Map() }]),
  );
  const frames = async (): Promise<readonly unknown[]> => {
    const { items } = (await client.get(`${PATH}/tasks`)).body as {
      items: readonly { parameters: { Frame: string } }[];
    };
    return items.map(({ parameters }) => parameters.Frame);
  };
  const cells = async (): Promise<unknown> =>
    ((await client.get(`${PATH}/task-grid`)).body as { steps: readonly { cells: string }[] }).steps[0]?.cells;
  t.strictSame(await frames(), ['1-2', '3-4', '5-6']);
  t.equal(await cells(), 'QQQ');
  const step = api.store.get('step', keys.step(JOB, 0));
  if (step === undefined) throw new Error('the step is missing');
  const sections = [
    { firstTask: 0, firstItem: 0, size: 2 },
    { firstTask: 1, firstItem: 2, size: 1 },
  ];
  const measured = [{ items: 2, ms: 30_000 }];
  const chunks = { parameter: 'Frame', targetSeconds: 15, sections, changes: 1, measured };
  const taskCounts = { ...step.taskCounts, total: 5, ready: 5 };
  api.write(put('step', keys.step(JOB, 0), { ...step, taskCount: 5, taskCounts, chunks }));
  t.strictSame(await frames(), ['1-2', '3-3', '4-4', '5-5', '6-6']);
  t.equal(await cells(), 'QQQQQ');
  t.match((await client.get(`${PATH}/steps`)).body, {
    items: [
      {
        chunks: {
          parameter: 'Frame',
          size: 1,
          default_size: 2,
          target_seconds: 15,
          changes: 1,
          measured_tasks: 1,
          seconds_per_value: 15,
          sentence:
            'chunks of 1 value of Frame: a value takes 15 s on average (from 1 task), the target is 15 s',
        },
      },
    ],
  });
});
