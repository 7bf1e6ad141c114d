import { join } from 'node:path';
import { test } from 'tap';
import { answeringService } from './answering-service.ts';
import { runCallsheet, type Ran } from './run-callsheet.ts';

const CREATED = '2026-01-02T03:04:05.678Z';
const FARM = {
  id: '11111111-1111-7111-8111-111111111111',
  name: 'north',
  description: 'the first',
  max_concurrent_tasks: 0,
  created_at: CREATED,
};
const QUEUE = {
  id: '22222222-2222-7222-8222-222222222222',
  farm_id: FARM.id,
  name: 'render',
  description: '',
  priority: 5,
  max_concurrent_tasks: 0,
  paused: false,
  created_at: CREATED,
};
const NO_COUNTS = {
  total: 4,
  pending: 0,
  ready: 0,
  assigned: 0,
  running: 0,
  succeeded: 0,
  failed: 0,
  canceled: 0,
};
const JOB = {
  id: '33333333-3333-7333-8333-333333333333',
  farm_id: FARM.id,
  queue_id: QUEUE.id,
  name: 'a job',
  owner: 'anonymous',
  project: '',
  priority: 50,
  status: 'pending',
  created_at: '2026-01-02T03:04:05.678Z',
  updated_at: '2026-01-02T03:04:05.678Z',
  task_counts: { ...NO_COUNTS, ready: 4 },
  steps: [],
};
const UPSTREAM = '44444444-4444-7444-8444-444444444444';
const pageOf = (...items: object[]): { readonly body: unknown } => ({ body: { items, total: items.length } });
const FARMS = { 'GET /api/v1/farms': [{ body: [FARM] }] };
const QUEUES = { 'GET /api/v1/queues': [{ body: { items: [QUEUE], total: 1 } }] };

test('a rate-limited command retries after the time that the service asks for', async (t) => {
  const tooMany = {
    status: 429,
    headers: { 'retry-after': '0' },
    body: { title: 'Too Many Requests', detail: 'come again' },
  };
  const service = await answeringService({ 'GET /api/v1/farms': [tooMany, tooMany, { body: [FARM] }] });
  t.teardown(() => service.close());
  const ran = await runCallsheet(['farms', '--json', '--url', service.url]);
  t.match(ran, { code: 0, err: '' });
  t.equal(service.requests.length, 3);

  const later = await answeringService({
    'GET /api/v1/farms': [{ ...tooMany, headers: { 'retry-after': '3600' } }],
  });
  t.teardown(() => later.close());
  const gaveUp = await runCallsheet(['farms', '--url', later.url]);
  t.match(gaveUp, { code: 6, err: /Too Many Requests: come again/ });
  t.equal(later.requests.length, 1, 'a wait of an hour is not accepted');
});

test('submit sends the template with farm, queue, parameters and options', async (t) => {
  const service = await answeringService({
    ...FARMS,
    ...QUEUES,
    'GET /api/v1/jobs': [pageOf({ ...JOB, name: 'the first job' })],
    'POST /api/v1/jobs': [{ status: 201, body: JOB }],
  });
  t.teardown(() => service.close());
  const dir = t.testdir({ 't.yaml': 'name: x\n', 't.json': '{"name": "x"}' });
  const common = ['submit', '--farm', 'north', '--queue', QUEUE.id, '--url', service.url];

  const ran = await runCallsheet([
    ...common,
    join(dir, 't.yaml'),
    ...['-p', 'Text=a=b & c', '--param', 'Empty=', '--depends-on', UPSTREAM, '--depends-on', 'the first job'],
    ...['--priority', '-3', '--max-attempts', '2', '--retry-delay-seconds', '0', '--failure-limit', '7'],
  ]);
  t.same(ran, { code: 0, out: `${JOB.id}\n`, err: '' });
  const [request] = service.requests.filter(({ method }) => method === 'POST');
  t.equal(request?.type, 'application/x-yaml');
  t.equal(request?.body, 'name: x\n');
  t.same(
    [...new URL(request?.path ?? '', service.url).searchParams],
    [
      ['farm_id', FARM.id],
      ['queue_id', QUEUE.id],
      ['depends_on', UPSTREAM],
      ['depends_on', JOB.id],
      ['priority', '-3'],
      ['max_attempts', '2'],
      ['retry_delay_seconds', '0'],
      ['failure_limit', '7'],
      ['param.Text', 'a=b & c'],
      ['param.Empty', ''],
    ],
  );

  const json = await runCallsheet([...common, join(dir, 't.json'), '--json']);
  t.same(JSON.parse(json.out), JOB);
  const piped = await runCallsheet([...common, '-'], { input: '{"name": "x"}' });
  t.equal(piped.code, 0);
  t.same(
    service.requests.filter(({ method }) => method === 'POST').map(({ type }) => type),
    ['application/x-yaml', 'application/json', 'application/json'],
  );
});

test('submit --watch waits for the end of the job and exits with its result', async (t) => {
  const at = (status: string, counts: object): { body: unknown } => ({
    body: { ...JOB, status, task_counts: { ...NO_COUNTS, ...counts } },
  });
  const service = await answeringService({
    ...FARMS,
    ...QUEUES,
    'POST /api/v1/jobs': [{ status: 201, body: JOB }],
    [`GET /api/v1/jobs/${JOB.id}`]: [
      at('running', { running: 2, ready: 2 }),
      { status: 503, body: { title: 'Service Unavailable', detail: 'starting' } },
      at('running', { succeeded: 2, running: 2 }),
      at('failed', { succeeded: 3, failed: 1 }),
    ],
    [`GET /api/v1/jobs/${JOB.id}/tasks`]: [
      pageOf({ id: `${JOB.id}-0-2`, name: 'Render', failure_reason: 'failed (exit 3)' }),
    ],
    [`GET /api/v1/tasks/${JOB.id}-0-2/logs`]: [
      {
        body: [
          { bus_seq: 1, attempt_id: 'a1', stream: 'stdout', data: 'the first time\n' },
          { bus_seq: 2, attempt_id: 'a2', stream: 'stdout', data: 'rendering\n' },
          { bus_seq: 3, attempt_id: 'a2', stream: 'stderr', data: 'no license\n' },
        ]
          .map((chunk) => `${JSON.stringify(chunk)}\n`)
          .join(''),
      },
      { body: '' },
    ],
    [`GET /api/v1/tasks/${JOB.id}-0-2`]: [{ body: { id: `${JOB.id}-0-2`, status: 'failed' } }],
  });
  t.teardown(() => service.close());
  const dir = t.testdir({ 't.yaml': 'name: x\n' });
  const ran = await runCallsheet(
    ['submit', join(dir, 't.yaml'), '--farm', 'north', '--queue', 'render', '--watch'],
    {
      environment: { SVC_URL: service.url },
    },
  );
  t.same(ran, {
    code: 1,
    out: `${JOB.id} failed\n`,
    err: [
      `job ${JOB.id} a job`,
      'a job: 0/4, 2 running, running',
      `waiting for the server at ${service.url}`,
      'a job: 2/4, 2 running, running',
      'a job: 3/4, 1 failed, failed',
      '',
      `task ${JOB.id}-0-2 Render: failed (exit 3)`,
      '  | rendering',
      '  | no license',
      '',
    ].join('\n'),
  });
  t.same(
    service.requests.slice(-5).map(({ path }) => path),
    [
      `/api/v1/jobs/${JOB.id}/tasks?status=failed&sort_by=updated_at&limit=1`,
      `/api/v1/tasks/${JOB.id}-0-2/logs?tail=true&limit=1000&after_bus_seq=0`,
      `/api/v1/tasks/${JOB.id}-0-2`,
      `/api/v1/tasks/${JOB.id}-0-2/logs?tail=true&limit=1000&after_bus_seq=3`,
      `/api/v1/tasks/${JOB.id}-0-2`,
    ],
    'the log of the task that failed first, until its tail ends',
  );
});

test('problems are printed with all errors and locations, and each kind has its exit status', async (t) => {
  const errors = [
    { pointer: '/steps/0/name', detail: 'must not be empty', line: 7, column: 9 },
    { pointer: '/extensions/0', detail: 'unknown extension' },
    { pointer: '', detail: 'is not to be read' },
  ];
  const problem = (status: number, title: string, rest: object): object => ({
    status,
    body: { title, status, ...rest },
  });
  const service = await answeringService({
    ...FARMS,
    ...QUEUES,
    'POST /api/v1/jobs': [
      problem(422, 'Unprocessable Content', { detail: 'joined', errors }) as { body: unknown },
    ],
    'POST /api/v1/jobs/55555555-5555-7555-8555-555555555555/cancel': [
      problem(409, 'Conflict', { detail: 'the job is completed' }) as { body: unknown },
    ],
    'GET /api/v1/jobs/77777777-7777-7777-8777-777777777777': [{ status: 500, body: '<html>' }],
    'GET /api/v1/jobs/88888888-8888-7888-8888-888888888888': [
      problem(503, 'Service Unavailable', {}) as { body: unknown },
    ],
  });
  t.teardown(() => service.close());
  const dir = t.testdir({ 't.yaml': `${'\n'.repeat(6)}        nme: x\n` });
  const file = join(dir, 't.yaml');
  const url = ['--url', service.url];

  t.same(
    await runCallsheet(['submit', join(dir, 't.yaml'), '--farm', 'north', '--queue', 'render', ...url]),
    {
      code: 2,
      out: '',
      err: [
        `${file}:7:9: /steps/0/name: must not be empty`,
        '  7 |         nme: x',
        '    |         ^',
        `${file}: /extensions/0: unknown extension`,
        `${file}: is not to be read`,
        '3 errors',
        '',
      ].join('\n'),
    },
  );
  t.same(await runCallsheet(['job', '55555555-5555-7555-8555-555555555555', 'cancel', ...url]), {
    code: 5,
    out: '',
    err: 'Conflict: the job is completed\n',
  });
  t.same(await runCallsheet(['job', '66666666-6666-7666-8666-666666666666', ...url]), {
    code: 4,
    out: '',
    err: 'Not Found: no GET /api/v1/jobs/66666666-6666-7666-8666-666666666666\n',
  });
  t.same(await runCallsheet(['job', '77777777-7777-7777-8777-777777777777', ...url]), {
    code: 1,
    out: '',
    err: 'the server answered 500: <html>\n',
  });
  t.same(await runCallsheet(['job', '88888888-8888-7888-8888-888888888888', ...url]), {
    code: 6,
    out: '',
    err: 'Service Unavailable\n',
  });
  t.same(await runCallsheet(['submit', 'nowhere.yaml', '--farm', 'south', '--queue', 'render', ...url]), {
    code: 2,
    out: '',
    err: "the template cannot be read: ENOENT: no such file or directory, open 'nowhere.yaml'\n",
  });
  t.same(await runCallsheet(['jobs', '--farm', 'south', ...url]), {
    code: 4,
    out: '',
    err: 'there is no farm "south"\n',
  });
  const away = await runCallsheet(['farms', '--url', 'http://127.0.0.1:9']);
  t.equal(away.code, 6);
  t.match(away.err, /^the server at http:\/\/127\.0\.0\.1:9 cannot be reached: /);
});

const TASKS_OF = '55555555-5555-7555-8555-555555555555';
/** Stands for an age, which depends on the time of the test. */
const AGE = 'AGE';

const withoutAges = (ran: Ran): Ran => ({ ...ran, out: ran.out.replaceAll(/ [0-9]+[smhdy]$/gm, ` ${AGE}`) });

test('lists', async (t) => {
  const service = await answeringService({
    ...FARMS,
    ...QUEUES,
    'GET /api/v1/jobs': [
      { body: { items: [{ ...JOB, name: 'evil\u001b[2J' }], total: 3, limit: 1, offset: 0 } },
    ],
    'GET /api/v1/workers': [
      {
        body: {
          items: [
            {
              id: 'w',
              name: 'one',
              hostname: 'h',
              status: 'online',
              cpu_count: 8,
              committed_cores: 3,
              current_task_count: 1,
              last_heartbeat_at: CREATED,
              failed_attempts: 7,
              compute_location: '',
            },
          ],
          total: 1,
        },
      },
    ],
    [`GET /api/v1/jobs/${TASKS_OF}/steps`]: [{ body: { items: [{ name: 'Render', order: 0 }] } }],
    [`GET /api/v1/jobs/${TASKS_OF}/tasks`]: [
      {
        body: {
          items: [
            {
              id: `${TASKS_OF}-0-1`,
              name: 'Render',
              status: 'failed',
              failed_attempts: 3,
              parameters: { F: '2' },
              failure_reason: 'x',
            },
          ],
          total: 1,
        },
      },
      {
        body: {
          items: [
            {
              id: `${TASKS_OF}-0-1`,
              name: 'Render',
              status: 'running',
              failed_attempts: 0,
              parameters: { F: '2' },
              progress: 41.9,
              status_message: 'sampling\u001b',
            },
            {
              id: `${TASKS_OF}-0-2`,
              name: 'Render',
              status: 'ready',
              failed_attempts: 0,
              parameters: { F: '3' },
            },
          ],
          total: 2,
        },
      },
    ],
  });
  t.teardown(() => service.close());
  const environment = { SVC_URL: `${service.url}/` };
  const run = (args: string): Promise<Ran> => runCallsheet(args.split(' '), { environment });

  t.same(await run('farms -o wide'), {
    code: 0,
    out: `ID                                    NAME   MAX TASKS  BOOKED AMOUNTS  QUEUE POLICY  QUARANTINE  OUTAGE HOLDS  DESCRIPTION  CREATED\n${FARM.id}  north                                                                     the first    2026-01-02T03:04:05Z\n`,
    err: '1 farm\n',
  });
  t.same(await run('queues --farm north --columns farm,name,prio,status'), {
    code: 0,
    out: 'FARM   NAME    PRIO  STATUS\nnorth  render     5  open\n',
    err: '1 queue\n',
  });
  t.same(withoutAges(await run('jobs --limit 1 --farm north --queue render --status pending')), {
    code: 0,
    out:
      'NAME      STATUS   DONE  TASKS  FAILED  PRIO  OWNER      QUEUE   CREATED\n' +
      `evil\u{fffd}[2J  pending    0%      4       0    50  anonymous  render  ${AGE}\n`,
    err: '1 of 3 jobs; --offset 1 or --all continues\n',
  });
  t.equal(
    service.requests.find(({ path }) => path.startsWith('/api/v1/jobs?'))?.path,
    `/api/v1/jobs?farm_id=${FARM.id}&queue_id=${QUEUE.id}&status=pending&sort_by=created_at&sort_dir=desc&limit=1&offset=0`,
  );
  t.same(withoutAges(await run('workers')), {
    code: 0,
    out: `NAME  STATUS  TASKS  CORES  FAILURES  LOCATION  LAST HEARD\none   online      1    3/8         7            ${AGE}\n`,
    err: '1 worker\n',
  });
  t.same(await run('tasks 55555555-5555-7555-8555-555555555555'), {
    code: 0,
    out: 'TASK      STATUS  PARAMETERS  FAILURES  REASON  STARTED  ENDED\nRender/1  failed  F=2                3  x\n',
    err: '1 task\n',
  });
  t.same(await run('tasks 55555555-5555-7555-8555-555555555555'), {
    code: 0,
    out:
      'TASK      STATUS   PARAMETERS  PROGRESS       FAILURES  REASON  STARTED  ENDED\n' +
      'Render/1  running  F=2         41% sampling\u{fffd}         0\n' +
      'Render/2  ready    F=3                               0\n',
    err: '2 tasks\n',
  });
  t.match(await run('jobs --queue render'), { code: 0 }, 'the only farm is the default');
  t.match(await run('jobs --limit some'), { code: 2, err: /It must be a whole number from 0/ });
});

const RETRY = {
  job_id: JOB.id,
  retried: 2,
  status: 'pending',
  steps: [{ step_id: 'j-0', name: 'Render', retried: 2, tasks: 'Frame=1003-1004' }],
  dependents: [{ job_id: 'd', name: 'Comp', retried: 10 }],
};

test('a retry shows what it retries, and fails if there is nothing', async (t) => {
  const service = await answeringService({
    [`GET /api/v1/jobs/${JOB.id}`]: [{ body: { ...JOB, steps: [] } }],
    [`POST /api/v1/jobs/${JOB.id}/retry`]: [
      { body: RETRY },
      { body: RETRY },
      { body: { ...RETRY, retried: 0, steps: [], dependents: [] } },
    ],
  });
  t.teardown(() => service.close());
  const run = (...args: string[]): ReturnType<typeof runCallsheet> =>
    runCallsheet(['job', JOB.id, 'retry', ...args], { environment: { SVC_URL: service.url } });
  t.match(await run('--range', '1003-1004', '--step', 'Render'), {
    code: 0,
    out: `${JOB.id} ${JOB.status}, 2 tasks and 1 dependent retried\n`,
    err: /Render: 2 tasks \(Frame=1003-1004\)\ndependents that were canceled because of this job: Comp \(10 tasks\)\n/,
  });
  const posts = service.requests.filter(({ method }) => method === 'POST');
  t.same(
    posts.map(({ path, body }) => [path.split('?')[1], JSON.parse(body) as unknown]),
    [
      ['with_dependents=true&dry_run=true', { step: 'Render', range: '1003-1004' }],
      ['with_dependents=true&dry_run=false', { step: 'Render', range: '1003-1004' }],
    ],
  );
  t.match(await run(), {
    code: 5,
    out: '',
    err: /nothing was retried: the job has no failed or canceled tasks/,
  });
  t.match(await run('--range', '1', '--index-range', '1'), { code: 2, err: /exclude each other/ });
});

test('a job is paused, resumed and retried', async (t) => {
  const service = await answeringService({
    [`GET /api/v1/jobs/${JOB.id}`]: [{ body: { ...JOB, status: 'paused', steps: [] } }],
    [`PATCH /api/v1/jobs/${JOB.id}`]: [{ body: JOB }],
    [`POST /api/v1/jobs/${JOB.id}/retry`]: [{ body: RETRY }],
  });
  t.teardown(() => service.close());
  const environment = { SVC_URL: service.url };
  for (const action of ['pause', 'resume', 'retry']) {
    const { code, out } = await runCallsheet(['job', JOB.id, action], { environment });
    t.same(
      [code, out],
      [0, `${JOB.id} paused${action === 'retry' ? ', 2 tasks and 1 dependent retried' : ''}\n`],
    );
  }
  t.same(
    service.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body),
    ['{"action":"pause"}', '{"action":"resume"}'],
  );
});

test('the attempts of workers are listed, of one or of a farm', async (t) => {
  const worker = { id: 'w1', name: 'node-a', farm_id: FARM.id };
  const attempt = (number: number, more: object): object => ({
    job_id: JOB.id,
    job_name: 'a job',
    step_id: `${JOB.id}-0`,
    step_name: 'render',
    task_id: `${JOB.id}-0-${number}`,
    task_name: `render[Frame=${number}]`,
    attempt_number: 1,
    started_at: '2026-01-02T03:04:05.000Z',
    ...more,
  });
  const open = attempt(1, { status: 'running' });
  const done = attempt(2, { status: 'succeeded', exit_code: 0, ended_at: '2026-01-02T03:05:06.000Z' });
  const reclaimed = attempt(3, {
    status: 'failed',
    reclaimed: true,
    message: 'the worker was lost',
    ended_at: '2026-01-02T05:05:05.000Z',
  });
  const failed = attempt(4, { status: 'failed', exit_code: 3, ended_at: '2026-01-02T03:04:20.000Z' });
  const service = await answeringService({
    ...FARMS,
    'GET /api/v1/workers': [{ body: { items: [worker], total: 1 } }],
    'GET /api/v1/workers/w1/attempts': [
      { body: { items: [open, done] } },
      { body: { items: [open, done], next: 'place' } },
      { body: { items: [reclaimed] } },
    ],
    'GET /api/v1/farms/11111111-1111-7111-8111-111111111111/attempts': [
      {
        body: {
          items: [
            {
              worker_id: 'w1',
              worker_name: 'node-a',
              status: 'online',
              attempts: [done, failed],
              has_more: true,
            },
            { worker_id: 'w2', worker_name: 'node-b', status: 'offline', attempts: [], has_more: false },
          ],
          total: 2,
        },
      },
    ],
  });
  t.teardown(() => service.close());
  const run = (...words: string[]): Promise<Ran> => runCallsheet([...words, '--url', service.url]);
  const range = ['--since', '2026-01-02T03:00:00Z', '--until', '2026-01-02T07:00:00Z'];

  const first = await run('workers', 'attempts', 'w1', '--limit', '1');
  t.match(first.err, /1 attempt\nThere are earlier attempts: give --limit, --since or --all\./);
  const all = await run('workers', 'attempts', 'node-a', '--all', ...range, '-o', 'wide');
  t.match(all, { code: 0, err: '3 attempts\n' });
  t.match(all.out, /a job +render\[Frame=2\] +1 +succeeded +0 .* 1m 01s/);
  t.match(all.out, /render\[Frame=3\] +1 +canceled .* 2h 01m +the worker was lost/);
  const asked = service.requests.filter(
    ({ path }) => path.includes('/attempts') && !path.includes('limit=2'),
  );
  t.match(asked[0]?.path, /since=2026-01-02T03%3A00%3A00Z&until=2026-01-02T07%3A00%3A00Z&limit=1000$/);
  t.match(asked[1]?.path, /before=place/);

  const farm = await run('workers', 'timeline', ...range);
  t.equal(farm.code, 0);
  t.match(farm.out, /node-a +online +2\+ +1 +!\.{39}\n/);
  t.match(farm.out, /node-b +offline +0 +0 +\.{40}\n/);
  t.match(farm.err, /2 workers\nOf workers with \+ only the latest 200 attempts are shown/);
  t.match(await run('workers', 'timeline', '--since', 'yesterday'), { code: 2, err: /must be a time/ });
});

test('workers are disabled, enabled and deleted, by id or name', async (t) => {
  const workers = [
    { id: 'w1', name: 'one', farm_id: FARM.id },
    { id: 'w2', name: 'w1', farm_id: FARM.id },
    { id: 'w3', name: 'both', farm_id: FARM.id },
    { id: 'w4', name: 'both', farm_id: 'another' },
    { id: 'w/5', name: 'odd', farm_id: FARM.id },
  ];
  const service = await answeringService({
    ...FARMS,
    'GET /api/v1/workers': [{ body: { items: workers, total: 5 } }],
    'POST /api/v1/workers/w1/disable': [{ body: { id: 'w1', status: 'disabled' } }],
    'POST /api/v1/workers/w1/enable': [{ body: { id: 'w1', status: 'offline' } }],
    'DELETE /api/v1/workers/w1': [{ status: 204, body: '' }],
    'DELETE /api/v1/workers/w2': [
      { status: 409, body: { title: 'Conflict', detail: 'the worker is online' } },
    ],
    'POST /api/v1/workers/w%2F5/disable': [{ body: { id: 'w/5', status: 'disabled' } }],
  });
  t.teardown(() => service.close());
  const run = (...args: string[]): ReturnType<typeof runCallsheet> =>
    runCallsheet(['workers', ...args], { environment: { SVC_URL: service.url } });
  const sent = (): string | undefined => {
    const { method, path } = service.requests.at(-1) ?? {};
    return `${method} ${path}`;
  };

  t.same(await run('disable', 'one'), { code: 0, out: 'w1 disabled\n', err: '' });
  t.equal(sent(), 'POST /api/v1/workers/w1/disable');
  t.same(await run('enable', 'w1'), { code: 0, out: 'w1 offline\n', err: '' }, 'an ID wins over a name');
  t.same(await run('delete', 'one'), { code: 0, out: 'w1 removed\n', err: '' });
  t.equal(sent(), 'DELETE /api/v1/workers/w1');
  t.same(JSON.parse((await run('delete', 'one', '--json')).out), { id: 'w1', status: 'removed' });
  t.same(JSON.parse((await run('enable', 'one', '--json')).out), { id: 'w1', status: 'offline' });
  t.same(await run('delete', 'w2'), { code: 5, out: '', err: 'Conflict: the worker is online\n' });
  t.same(await run('disable', 'odd'), { code: 0, out: 'w/5 disabled\n', err: '' });
  t.same(await run('disable', 'none'), { code: 4, out: '', err: 'there is no worker "none"\n' });
  t.same(await run('disable', 'both'), {
    code: 2,
    out: '',
    err: '"both" matches several workers; use one of these ids:\n  w3  both\n  w4  both\n',
  });
  await run('disable', 'one', '--farm', 'north');
  t.ok(
    service.requests.some(({ path }) => path === `/api/v1/workers?farm_id=${FARM.id}&limit=1000&offset=0`),
    'only workers of the farm',
  );
  t.match(await run('disable'), { code: 2, err: /missing required argument 'worker'/ });
});

test('a job is deleted', async (t) => {
  const service = await answeringService({
    'DELETE /api/v1/jobs/55555555-5555-7555-8555-555555555555': [{ status: 204, body: '' }],
  });
  t.teardown(() => service.close());
  const environment = { SVC_URL: service.url };
  t.same(await runCallsheet(['job', '55555555-5555-7555-8555-555555555555', 'delete'], { environment }), {
    code: 0,
    out: '55555555-5555-7555-8555-555555555555 removed\n',
    err: '',
  });
  const { out } = await runCallsheet(['job', '55555555-5555-7555-8555-555555555555', 'delete', '--json'], {
    environment,
  });
  t.same(JSON.parse(out), { id: '55555555-5555-7555-8555-555555555555', status: 'removed' });
  t.same(await runCallsheet(['job', '66666666-6666-7666-8666-666666666666', 'delete'], { environment }), {
    code: 4,
    out: '',
    err: 'Not Found: no DELETE /api/v1/jobs/66666666-6666-7666-8666-666666666666\n',
  });
});

test('a job is shown with its details and steps, and canceled', async (t) => {
  const detail = {
    ...JOB,
    status: 'failed',
    park_reason: '',
    parameters: { Width: '64', ALongParameter: 'x\ty' },
    failure_summary: { failed_count: 1, dominant_reason: 'failed (exit 3)', distinct_reasons: 1 },
    depends_on: ['j1', 'j2'],
    steps: [
      { name: 'Render', status: 'failed', task_counts: { ...NO_COUNTS, succeeded: 3, failed: 1 } },
      {
        name: 'Assemble',
        status: 'canceled',
        depends_on: ['Render'],
        task_counts: { ...NO_COUNTS, total: 1 },
      },
    ],
  };
  const service = await answeringService({
    'GET /api/v1/jobs/j1': [{ body: { ...JOB, id: 'j1', name: 'Sim v12' } }],
    [`GET /api/v1/jobs/${JOB.id}`]: [{ body: detail }],
    [`GET /api/v1/jobs/${JOB.id}/environments`]: [
      {
        body: [
          { name: 'Rez', origin: 'queue', format: 'yaml', template: '' },
          { name: 'Own', origin: 'submission', format: 'yaml', template: '' },
        ],
      },
    ],
    [`GET /api/v1/jobs/${JOB.id}/failures`]: [
      {
        body: {
          job_id: JOB.id,
          failed_count: 1,
          groups: [
            {
              reason: 'failed (exit 3)',
              error_line: 'Error: no scene',
              count: 1,
              task_ids: [],
              worker_ids: [],
            },
          ],
          workers: [],
          is_partial: false,
        },
      },
    ],
    [`POST /api/v1/jobs/${JOB.id}/cancel`]: [{ status: 204, body: '' }],
    ...FARMS,
    ...QUEUES,
  });
  t.teardown(() => service.close());
  const environment = { SVC_URL: service.url };
  t.same(await runCallsheet(['job', JOB.id], { environment }), {
    code: 0,
    out: [
      'status            failed',
      `job               ${JOB.id}`,
      'name              a job',
      'farm              north',
      'queue             render',
      'owner             anonymous',
      'priority          50',
      'created           2026-01-02T03:04:05.678Z',
      'updated           2026-01-02T03:04:05.678Z',
      'waits for         Sim v12, j2',
      'failed            failed (exit 3): Error: no scene (1 task)',
      `next              callsheet logs ${JOB.id} --failed`,
      'environments      Rez (of the queue), Own (of the submission)',
      'parameters        2',
      '  Width           64',
      '  ALongParameter  x\u{fffd}y',
      '',
      'STEP      STATUS    TASKS  SUCCEEDED  RUNNING  FAILED  AFTER',
      'Render    failed        4          3        0       1',
      'Assemble  canceled      1          0        0       0  Render',
      '',
    ].join('\n'),
    err: '2 steps, 4 tasks\n',
  });
  const canceled = await runCallsheet(['job', JOB.id, 'cancel'], { environment });
  t.same(canceled, { code: 0, out: `${JOB.id} failed\n`, err: '' });
  t.same(
    service.requests.slice(-2).map(({ method, path }) => `${method} ${path}`),
    [`POST /api/v1/jobs/${JOB.id}/cancel`, `GET /api/v1/jobs/${JOB.id}`],
  );
});

test('farms and queues are created', async (t) => {
  const service = await answeringService({
    ...FARMS,
    'POST /api/v1/farms': [{ status: 201, body: FARM }],
    'POST /api/v1/queues': [{ status: 201, body: QUEUE }],
  });
  t.teardown(() => service.close());
  const environment = { SVC_URL: service.url };
  const farm = await runCallsheet(['farms', 'create', 'north', '--description', 'the first'], {
    environment,
  });
  t.same(farm, { code: 0, out: `${FARM.id}\n`, err: '' });
  t.same(JSON.parse(service.requests.at(-1)?.body ?? ''), { name: 'north', description: 'the first' });
  const queue = await runCallsheet(['queues', 'create', 'north', 'render', '--priority', '5', '--json'], {
    environment,
  });
  t.same(JSON.parse(queue.out), QUEUE);
  t.same(JSON.parse(service.requests.at(-1)?.body ?? ''), {
    farm_id: FARM.id,
    name: 'render',
    description: '',
    priority: 5,
  });
});

const TASK_ID = `${JOB.id}-0-0`;
const LIVE = `${JOB.id}-0-1`;

test('logs: prints all pages, and resumes a stream that breaks where it ended', async (t) => {
  const chunk = (bus_seq: number, stream: string, data: string): object => ({
    bus_seq,
    attempt_id: `${TASK_ID}-1`,
    stream,
    data,
  });
  const lines = (...chunks: object[]): string => chunks.map((one) => `${JSON.stringify(one)}\n`).join('');
  const service = await answeringService({
    [`GET /api/v1/tasks/${TASK_ID}/logs`]: [
      { body: { items: [chunk(3, 'stdout', 'one\n'), chunk(5, 'stderr', 'oops\n')], after_bus_seq: 5 } },
      { body: { items: [chunk(9, 'stdout', 'two')], after_bus_seq: 9 } },
      { body: { items: [], after_bus_seq: 9 } },
    ],
    [`GET /api/v1/tasks/${LIVE}/logs`]: [
      { body: lines(chunk(1, 'stdout', 'one\n'), chunk(2, 'stdout', 'two\n')), breaks: true },
      { body: lines(chunk(3, 'stdout', 'three\n')) },
      { body: '' },
    ],
    [`GET /api/v1/tasks/${LIVE}`]: [{ body: { id: LIVE, status: 'succeeded' } }],
  });
  t.teardown(() => service.close());
  const environment = { SVC_URL: service.url };
  t.same(await runCallsheet(['logs', TASK_ID], { environment }), {
    code: 0,
    out: 'one\ntwo\n',
    err: 'oops\n',
  });
  t.same(
    service.requests.map(({ path }) => path),
    [0, 5, 9].map((after) => `/api/v1/tasks/${TASK_ID}/logs?limit=1000&after_bus_seq=${after}`),
  );
  t.same(await runCallsheet(['logs', LIVE, '--follow'], { environment }), {
    code: 0,
    out: 'one\ntwo\nthree\n',
    err: `waiting for the server at ${service.url}\n`,
  });
  t.same(
    service.requests.slice(3).map(({ path }) => path),
    [
      ...[0, 2].map((after) => `/api/v1/tasks/${LIVE}/logs?tail=true&limit=1000&after_bus_seq=${after}`),
      `/api/v1/tasks/${LIVE}`,
      `/api/v1/tasks/${LIVE}/logs?tail=true&limit=1000&after_bus_seq=3`,
      `/api/v1/tasks/${LIVE}`,
    ],
  );
});

test('invalid usage exits with 2, help exits with 0', async (t) => {
  t.match(await runCallsheet([]), { code: 2, err: /Usage: callsheet/ });
  t.match(await runCallsheet(['--help']), { code: 0, out: /Usage: callsheet/ });
  t.match(await runCallsheet(['server', '--help']), { code: 0, out: /--http-addr \(SVC_HTTP_ADDR\)/ });
  t.match(await runCallsheet(['nonsense']), { code: 2, err: /unknown command 'nonsense'/ });
  t.match(await runCallsheet(['job', '55555555-5555-7555-8555-555555555555', 'explode']), {
    code: 2,
    err: /unknown verb "explode": callsheet jobs takes list, show, submit, cancel, retry, skip, hold, release, pause, resume, set,/,
  });
  t.match(await runCallsheet(['submit', 'x', '--farm', 'f', '--queue', 'q', '-p', 'novalue']), {
    code: 2,
    err: /It must be NAME=VALUE/,
  });
  t.match(await runCallsheet(['jobs', '--url', 'ftp://x']), {
    code: 2,
    err: /must be an http or https address/,
  });
});

test('a daemon with an invalid configuration does not start and prints one line for each error', async (t) => {
  const dir = t.testdir({ 'c.yaml': 'http:\n  adr: 127.0.0.1:1\n', 'broken.yaml': 'a: [' });
  const file = join(dir, 'c.yaml');
  t.same(
    await runCallsheet(['server', '--config', file, '--auth-enabled=maybe'], {
      environment: { SVC_LOG_LEVEL: 'loud' },
    }),
    {
      code: 2,
      out: '',
      err: [
        `http.adr: no such key, did you mean http.addr? (set in the file ${file})`,
        'log.level: must be one of debug, info, warn, error, got "loud" (set in the environment variable SVC_LOG_LEVEL)',
        'auth.enabled: must be true or false, got "maybe" (set in the flag --auth-enabled)',
        '',
      ].join('\n'),
    },
  );
  t.match(await runCallsheet(['worker', 'stray']), {
    code: 2,
    err: '"stray": unexpected argument; the command takes only flags\n',
  });
  t.match(await runCallsheet(['worker', '--config', join(dir, 'broken.yaml')]), {
    code: 2,
    err: /is not valid YAML at line 1/,
  });
  t.match(await runCallsheet(['server', '--config', join(dir, 'none.yaml')]), {
    code: 2,
    err: /cannot be read: ENOENT/,
  });
});
