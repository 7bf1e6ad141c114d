import { test } from 'tap';
import { replyTo } from '../../../actors/kernel/address.ts';
import { farmId, queueId } from '../../../src/core/ids.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { partsOf, startApi, type ApiFixture } from '../kit/api-fixture.ts';
import {
  FARM,
  farmRecord,
  jobNumber,
  jobPlan,
  jobRecord,
  QUEUE,
  queueRecord,
  stepPlan,
  uuid,
} from '../kit/records.ts';

const WHERE = `farm_id=${FARM}&queue_id=${QUEUE}`;
const TEMPLATE = 'specificationVersion: jobtemplate-2023-09\nname: fractal # é\n';
const YAML = { headers: { 'content-type': 'application/x-yaml' }, body: TEMPLATE };
const PLAN = jobPlan([stepPlan(0, 'render', 1, { kind: 'single' })]);
const PARTS = partsOf(PLAN);

function furnish(fixture: ApiFixture): void {
  fixture.write(
    put('farm', keys.farm(FARM), farmRecord({ retry: { maxAttempts: 7, failureLimit: 9 } })),
    put('queue', keys.queue(QUEUE), queueRecord({ retry: { retryDelaySeconds: 33 } })),
  );
  fixture.answer = () => done(jobRecord({ retry: { failureLimit: 0 } }));
}

const JOB_JSON = {
  id: jobNumber(1),
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
  failed_attempts: 0,
  effective_retry: { max_attempts: 7, retry_delay_seconds: 33, failure_limit: 0 },
  task_counts: {
    total: 1,
    pending: 0,
    ready: 1,
    assigned: 0,
    running: 0,
    succeeded: 0,
    failed: 0,
    canceled: 0,
    unschedulable: 0,
  },
};

void test('creates a job from a YAML template', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const made = await client.send('POST', `/api/v1/jobs?${WHERE}`, YAML);
  t.equal(made.status, 201);
  t.same(made.body, JOB_JSON);
  t.equal(made.headers['location'], `/api/v1/jobs/${jobNumber(1)}`);
  t.same(api.prepared, [
    {
      client: '127.0.0.1',
      text: TEMPLATE,
      format: 'yaml',
      jobName: '',
      values: {},
      inherited: {},
      environments: [],
      previews: false,
    },
  ]);
  t.same(api.asked, [
    {
      actor: 'farm',
      id: FARM,
      message: {
        type: 'job.submit',
        submission: {
          queueId: QUEUE,
          plan: PLAN,
          description: '',
          extensions: [],
          template: { text: TEMPLATE, environments: [] },
          templateFormat: 'yaml',
          owner: 'anonymous',
          submitter: 'anonymous',
          project: '',
          priority: 50,
          retry: {},
          isPaused: false,
          product: null,
          upstreams: [],
        },
        replyTo: replyTo('front'),
      },
    },
  ]);
});

void test('sends a JSON template and all parameters to the farm', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.write(put('job', keys.job(jobNumber(7)), jobRecord({ id: jobNumber(7), status: 'running' })));
  api.preparation = {
    ok: true,
    job: { plan: PARTS, rows: null, description: 'three frames', extensions: ['EXPR'], environments: [] },
    previews: [],
  };
  const text = '{"name": "fractal"}';
  const query =
    `${WHERE}&owner=grace&submitter=mallory&project=film+%26+tv&priority=-7&max_attempts=1&retry_delay_seconds=0` +
    `&failure_limit=5&depends_on=${jobNumber(7)}&depends_on=${jobNumber(7)}` +
    `&param.Frames=1-3&param.Scene=a%3Db%20c&param.__proto__=x&unknown=1`;
  const made = await client.send('POST', `/api/v1/jobs?${query}`, {
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    body: text,
  });
  t.equal(made.status, 201);
  const values = Object.fromEntries([
    ['Frames', '1-3'],
    ['Scene', 'a=b c'],
    ['__proto__', 'x'],
  ]);
  t.same(api.prepared, [
    {
      client: '127.0.0.1',
      text,
      format: 'json',
      jobName: '',
      values,
      inherited: {},
      environments: [],
      previews: false,
    },
  ]);
  t.same(Object.keys(api.prepared[0]?.values ?? {}), ['Frames', 'Scene', '__proto__']);
  const message = api.asked[0]?.message;
  t.same(message?.type === 'job.submit' && message.submission, {
    queueId: QUEUE,
    plan: PLAN,
    description: 'three frames',
    extensions: ['EXPR'],
    template: { text, environments: [] },
    templateFormat: 'json',
    owner: 'grace',
    submitter: 'anonymous',
    project: 'film & tv',
    priority: -7,
    retry: { maxAttempts: 1, retryDelaySeconds: 0, failureLimit: 5 },
    isPaused: false,
    product: null,
    upstreams: [{ jobId: jobNumber(7), status: 'running' }],
  });
});

void test('accepts caps of the job and of its steps', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const path = `/api/v1/jobs?${WHERE}`;
  const caps = 'max_concurrent_tasks=4&step_max_concurrent_tasks=render%3D2';
  t.equal((await client.send('POST', `${path}&${caps}`, YAML)).status, 201);
  t.match(api.asked, [
    { message: { submission: { caps: { maxConcurrentTasks: 4, stepCaps: { render: 2 } } } } },
  ]);
  for (const [wrong, detail] of [
    ['step_max_concurrent_tasks=comp%3D2', 'the template has no step "comp"'],
    ['step_max_concurrent_tasks=render', 'must be NAME=CAP'],
    ['max_concurrent_tasks=-1', 'must be >= 0'],
  ] as const) {
    const reply = await client.send('POST', `${path}&${wrong}`, YAML);
    t.equal(reply.status, 400, wrong);
    t.ok(JSON.stringify(reply.body).includes(JSON.stringify(detail).slice(1, -1)), wrong);
  }
});

void test('accepts each YAML media type, and the submitter as owner in any case', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  for (const mediaType of [
    'application/x-yaml',
    'application/yaml',
    'text/yaml',
    'Text/YAML; charset="utf-8"',
  ]) {
    const sent = { headers: { 'content-type': mediaType }, body: TEMPLATE };
    t.equal(
      (await client.send('POST', `/api/v1/jobs?${WHERE}&owner=ANONYMOUS`, sent)).status,
      201,
      mediaType,
    );
  }
  const owners = api.asked.map(({ message }) => message.type === 'job.submit' && message.submission.owner);
  t.same(owners, ['anonymous', 'anonymous', 'anonymous', 'anonymous']);
});

void test('rejects other content types', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
    'application/yaml; charset=latin1',
    'nonsense',
  ];
  for (const mediaType of types) {
    const sent = { headers: mediaType === '' ? {} : { 'content-type': mediaType }, body: TEMPLATE };
    t.equal((await client.send('POST', `/api/v1/jobs?${WHERE}`, sent)).status, 415, mediaType);
  }
  t.match((await client.send('POST', '/api/v1/farms', YAML)).body, {
    status: 415,
    title: 'Unsupported Media Type',
    detail: 'the content type must be application/json; not application/x-yaml',
  });
  t.same(api.asked, []);
});

void test('rejects parameters that are out of range, of the wrong type, missing or repeated', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const cases: [string, string][] = [
    ['', '/query/farm_id: is required; /query/queue_id: is required'],
    [`farm_id=1&queue_id=${QUEUE}`, '/query/farm_id: must match format "uuid"'],
    [`${WHERE}&max_attempts=0`, '/query/max_attempts: must be >= 1'],
    [`${WHERE}&max_attempts=`, '/query/max_attempts: must be integer'],
    [`${WHERE}&max_attempts=1e1`, '/query/max_attempts: must be integer'],
    [`${WHERE}&max_attempts=0x1`, '/query/max_attempts: must be integer'],
    [`${WHERE}&max_attempts=01`, '/query/max_attempts: must be integer'],
    [`${WHERE}&max_attempts=+1`, '/query/max_attempts: must be integer'],
    [`${WHERE}&retry_delay_seconds=-1`, '/query/retry_delay_seconds: must be >= 0'],
    [`${WHERE}&failure_limit=-1`, '/query/failure_limit: must be >= 0'],
    [`${WHERE}&priority=2147483648`, '/query/priority: must be <= 2147483647'],
    [`${WHERE}&priority=high`, '/query/priority: must be integer'],
    [`${WHERE}&priority=1&priority=2`, '/query/priority: is given more than once'],
    [`${WHERE}&param.A=1&param.A=2`, '/query/param.A: is given more than once'],
    [`${WHERE}&depends_on=x`, '/query/depends_on/0: must match format "uuid"'],
    [`${WHERE}&depends_on=${jobNumber(3)}`, `/query/depends_on: the farm has no job ${jobNumber(3)}`],
    [`${WHERE}&owner=a%0Ab`, '/query/owner: must not hold control characters'],
    [`${WHERE}&owner=%zz`, 'the query has a malformed escape'],
    [`farm_id=${uuid('f', 9)}&queue_id=${QUEUE}`, `/query/farm_id: no farm ${uuid('f', 9)}`],
    [`farm_id=${FARM}&queue_id=${uuid('b', 9)}`, `/query/queue_id: the farm has no queue ${uuid('b', 9)}`],
  ];
  for (const [query, detail] of cases) {
    const answer = await client.send('POST', `/api/v1/jobs?${query}`, YAML);
    t.match(answer, { status: 400, body: { detail } }, query);
  }
  t.same(api.asked, []);
});

void test('rejects queues and upstream jobs of another farm', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const other = farmId(uuid('f', 2));
  const foreign = queueRecord({ id: queueId(uuid('b', 2)), farmId: other });
  api.write(
    put('queue', keys.queue(foreign.id), foreign),
    put('job', keys.job(jobNumber(8)), jobRecord({ id: jobNumber(8), farmId: other })),
  );
  t.match(await client.send('POST', `/api/v1/jobs?farm_id=${FARM}&queue_id=${foreign.id}`, YAML), {
    status: 400,
    body: { detail: `/query/queue_id: the farm has no queue ${foreign.id}` },
  });
  t.match(await client.send('POST', `/api/v1/jobs?${WHERE}&depends_on=${jobNumber(8)}`, YAML), {
    status: 400,
    body: { detail: `/query/depends_on: the farm has no job ${jobNumber(8)}` },
  });
  t.same(api.asked, []);
});

void test('lists errors in a template with pointers', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const errors = [
    { pointer: '/steps', detail: 'is missing' },
    { pointer: '/extensions/0', detail: 'unknown name', line: 3, column: 5 },
  ];
  api.preparation = { ok: false, errors };
  const answer = await client.send('POST', `/api/v1/jobs?${WHERE}`, YAML);
  t.equal(answer.status, 422);
  t.same(answer.body, {
    type: 'about:blank',
    title: 'Unprocessable Content',
    status: 422,
    detail: '/steps: is missing; /extensions/0: unknown name',
    instance: answer.headers['x-request-id'],
    errors,
  });
  t.same(api.asked, []);
});

void test('rejects a submission if the template takes too long, the disk is full, or the farm rejects it', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.preparation = { ok: false, deadline: true };
  t.match(await client.send('POST', `/api/v1/jobs?${WHERE}`, YAML), {
    status: 503,
    body: {
      title: 'Service Unavailable',
      detail: 'template evaluation timed out; the template may be valid, so retry the request',
    },
  });
  api.preparation = { ok: false, busy: 'service' };
  t.match(await client.send('POST', `/api/v1/jobs?${WHERE}`, YAML), {
    status: 503,
    headers: { 'retry-after': '1' },
    body: { detail: 'the service is busy with other templates; retry in a moment' },
  });
  api.preparation = { ok: false, busy: 'client' };
  t.match(await client.send('POST', `/api/v1/jobs?${WHERE}`, YAML), {
    status: 429,
    headers: { 'retry-after': '1' },
    body: { detail: 'too many templates of this address wait for their evaluation' },
  });
  api.acceptsSubmissions = false;
  api.prepared.length = 0;
  t.match(await client.send('POST', `/api/v1/jobs?${WHERE}`, YAML), {
    status: 503,
    body: { detail: 'the disk of the service is nearly full; new jobs are not accepted' },
  });
  t.same(api.prepared, []);
  api.acceptsSubmissions = true;
  api.preparation = {
    ok: true,
    job: { plan: PARTS, rows: null, description: '', extensions: [], environments: [] },
    previews: [],
  };
  api.answer = () => refused('bad-request', 'queue_id: just deleted');
  t.match(await client.send('POST', `/api/v1/jobs?${WHERE}`, YAML), {
    status: 400,
    body: { detail: 'queue_id: just deleted' },
  });
});

void test('stores plan and template before a large job, and removes them if it is rejected', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const rows = { plan: Uint8Array.of(1), template: Uint8Array.of(2) };
  api.preparation = {
    ok: true,
    job: { plan: PARTS, rows, description: '', extensions: [], environments: [] },
    previews: [],
  };
  let storedBefore = 0;
  api.answer = () => {
    storedBefore = api.storedAhead.size;
    return done(jobRecord());
  };
  t.equal((await client.send('POST', `/api/v1/jobs?${WHERE}`, YAML)).status, 201);
  t.equal(storedBefore, 1);
  const [id] = api.storedAhead.keys();
  t.strictSame([...api.storedAhead.values()], [rows]);
  const message = api.asked[0]?.message;
  t.same(message?.type === 'job.submit' && message.submission.template, { provisionalJobId: id });
  t.same(message?.type === 'job.submit' && message.submission.plan, PLAN);
  api.answer = () => refused('bad-request', 'queue_id: just deleted');
  t.equal((await client.send('POST', `/api/v1/jobs?${WHERE}`, YAML)).status, 400);
  t.strictSame([...api.storedAhead.keys()], [id], 'the rows of the rejected job were removed');
});

void test('rejects a body that is not UTF-8', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const sent = { headers: YAML.headers, body: Buffer.from([0x6e, 0xff, 0xfe]) };
  t.match(await client.send('POST', `/api/v1/jobs?${WHERE}`, sent), {
    status: 400,
    body: { detail: 'the body is not valid UTF-8' },
  });
  t.same(api.prepared, []);
});

void test('an actor without a reply causes a logged 500 without details', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.answer = () => Promise.reject(new Error('secret'));
  const answer = await client.send('POST', `/api/v1/jobs?${WHERE}`, YAML);
  t.match(answer, { status: 500, body: { detail: 'the request failed; the log of the service says why' } });
  t.match(api.logged, [
    { level: 'error', text: 'a request failed', attributes: { operation: 'submitJob', error: /secret/ } },
  ]);
  t.equal(api.logged[0]?.attributes['request_id'], answer.headers['x-request-id']);
});
