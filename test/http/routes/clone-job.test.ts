import { test } from 'tap';
import { EXPRESSIONS } from '../../../src/adapters/regex/default-expressions.ts';
import { done } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { previewJob } from '../../../src/openjd/template/preview-command.ts';
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
} from '../kit/records.ts';

const TEMPLATE = 'specificationVersion: jobtemplate-2023-09\nname: fractal\n';
const ORIGINAL = jobNumber(1);
const PATH = `/api/v1/jobs/${ORIGINAL}/clone`;
const PLAN = {
  ...jobPlan([stepPlan(0, 'render', 1, { kind: 'single' })]),
  parameters: { Frames: { type: 'STRING', value: '1-9' }, Scene: { type: 'PATH', value: 'a.blend' } },
} as const;

/** Stores a finished job with its own settings, upstream job, owner and start. */
function furnish(fixture: ApiFixture): void {
  fixture.write(
    put('farm', keys.farm(FARM), farmRecord({})),
    put('queue', keys.queue(QUEUE), queueRecord({})),
    put(
      'job',
      keys.job(ORIGINAL),
      jobRecord({
        owner: 'grace',
        status: 'completed',
        priority: 70,
        project: 'film',
        retry: { maxAttempts: 2, failureLimit: 9 },
        dependsOn: [jobNumber(5)],
        product: { name: 'fractal', version: '1.0.0' },
      }),
    ),
    put('plan', keys.plan(ORIGINAL), PLAN),
    put('template', keys.template(ORIGINAL), { version: 1, text: TEMPLATE, format: 'yaml' }),
  );
  fixture.preparation = {
    ok: true,
    job: { plan: partsOf(PLAN), rows: null, description: '', extensions: [], environments: [] },
    previews: [],
  };
  fixture.answer = () => done(jobRecord({ id: jobNumber(2) }));
}

void test('a clone has the template, values and settings of the job, and the owner of the request', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const made = await client.json('POST', PATH, {});
  t.equal(made.status, 201);
  t.equal(made.headers['location'], `/api/v1/jobs/${jobNumber(2)}`);
  t.match(api.prepared, [
    {
      text: TEMPLATE,
      format: 'yaml',
      jobName: '',
      values: {},
      inherited: { Frames: '1-9', Scene: 'a.blend' },
      environments: [],
      previews: false,
    },
  ]);
  t.match(api.asked, [
    {
      id: FARM,
      message: {
        type: 'job.submit',
        submission: {
          queueId: QUEUE,
          template: { text: TEMPLATE, environments: [] },
          owner: 'anonymous',
          project: 'film',
          priority: 70,
          retry: { maxAttempts: 2, failureLimit: 9 },
          isPaused: false,
          product: { name: 'fractal', version: '1.0.0' },
          upstreams: [],
        },
      },
    },
  ]);
  t.notOk(JSON.stringify(api.asked).includes('startAfter'));
});

void test('members of the body replace those of the job, and null inherits a retry setting', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const made = await client.json('POST', PATH, {
    parameters: { Frames: '1-50' },
    name: 'again',
    priority: 10,
    project: '',
    owner: 'linus',
    max_attempts: null,
    retry_delay_seconds: 5,
    paused: true,
    start_after: '2026-11-24T20:00:00Z',
    depends_on: [ORIGINAL],
  });
  t.equal(made.status, 201);
  t.match(api.prepared, [
    { jobName: 'again', values: { Frames: '1-50' }, inherited: { Frames: '1-9', Scene: 'a.blend' } },
  ]);
  t.match(api.asked, [
    {
      message: {
        submission: {
          owner: 'linus',
          project: '',
          priority: 10,
          isPaused: true,
          startAfter: Date.parse('2026-11-24T20:00:00Z'),
          upstreams: [{ jobId: ORIGINAL, status: 'completed' }],
        },
      },
    },
  ]);
  t.match(JSON.stringify(api.asked), /"retry":\{"retryDelaySeconds":5,"failureLimit":9\}/);
});

void test('a clone that names what does not exist, or a farm without a queue, is refused', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const other = jobNumber(77);
  for (const [path, body, status, detail] of [
    [`/api/v1/jobs/${other}/clone`, {}, 404, /no job/],
    [PATH, { farm_id: other }, 400, /^\/queue_id: needed with another farm_id/],
    [PATH, { farm_id: other, queue_id: QUEUE }, 400, /^\/farm_id: no farm/],
    [PATH, { queue_id: other }, 400, /^\/queue_id: the farm has no queue/],
    [PATH, { depends_on: [other] }, 400, /^\/depends_on\/?\d*: the farm has no job/],
    [PATH, { priority: 'high' }, 400, /^\/priority: /],
    [PATH, [], 400, /./],
  ] as const)
    t.match(await client.json('POST', path, body), { status, body: { detail } }, JSON.stringify(body));
  t.same(api.asked, [], 'no job was created');
});

void test('a dry run stores nothing, and a repeated key creates one job', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'one' };
  const body = JSON.stringify({ parameters: { Frames: '3' } });
  const first = await client.send('POST', PATH, { headers, body });
  t.equal(first.status, 201);
  t.match(api.asked, [{ message: { submission: { once: { fingerprint: /^[0-9a-f]{64}$/ } } } }]);
  const asked = api.asked.length;
  api.preparation = {
    ok: true,
    job: { plan: partsOf(PLAN), rows: null, description: '', extensions: [], environments: [] },
    previews: previewJob({ plan: PLAN, extensions: [] }, EXPRESSIONS),
  };
  api.answer = () => done([{ online: 0, elsewhere: 0, eligible: 0, rejected: [], nearestMiss: null }]);
  const preview = await client.json('POST', `${PATH}?dry_run=true`, {});
  t.equal(preview.status, 200);
  t.match(api.prepared.at(-1), { previews: true });
  t.notMatch(JSON.stringify(api.asked.slice(asked)), /job\.submit/);
});
