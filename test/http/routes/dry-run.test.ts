import { EXPRESSIONS } from '../../../src/adapters/regex/default-expressions.ts';
import { previewJob } from '../../../src/openjd/template/preview-command.ts';
import { test } from 'tap';
import { workerId } from '../../../src/core/ids.ts';
import type { DemandExplanation } from '../../../src/core/lease/explanation.ts';
import type { StepRequirements } from '../../../src/openjd/template/plan.ts';
import { done } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { partsOf, startApi, type ApiFixture } from '../kit/api-fixture.ts';
import {
  FARM,
  farmRecord,
  FRAMES,
  jobNumber,
  jobPlan,
  QUEUE,
  queueRecord,
  stepPlan,
  uuid,
  workerRecord,
} from '../kit/records.ts';

const WHERE = `farm_id=${FARM}&queue_id=${QUEUE}`;
const DRY = `/api/v1/jobs?${WHERE}&dry_run=true`;
const YAML = { headers: { 'content-type': 'application/x-yaml' }, body: 'name: x' };
const NEAR = workerId(uuid('e', 3));

const NEEDS: StepRequirements = { cores: 8, computeLocation: '', amounts: [], pools: [], attributes: [] };
const SOME: DemandExplanation = { online: 3, elsewhere: 1, eligible: 3, rejected: [], nearestMiss: null };
const NONE: DemandExplanation = {
  online: 3,
  elsewhere: 1,
  eligible: 0,
  rejected: [{ reason: 'amount requirement not met', requirement: 'amount.worker.vcpu', workers: 3 }],
  nearestMiss: {
    workerId: NEAR,
    ineligibility: {
      reason: 'amount requirement not met',
      requirement: { name: 'amount.worker.vcpu', min: 8 },
      offered: 4,
    },
  },
};

function furnish(fixture: ApiFixture): void {
  fixture.write(
    put('farm', keys.farm(FARM), farmRecord()),
    put('queue', keys.queue(QUEUE), queueRecord()),
    put('worker', keys.worker(NEAR), workerRecord({ id: NEAR, name: 'node-3', cpuCount: 4 })),
    put('usagePool', 'p', {
      version: 1,
      id: 'p',
      name: 'Nuke',
      maxConcurrent: 1,
      serverHint: '',
      slot: 3,
      createdAt: 0,
      updatedAt: 0,
    }),
  );
  const render = stepPlan(0, 'render', 24, FRAMES(24));
  const encode = stepPlan(1, 'encode', 1, { kind: 'single' });
  const script = {
    onRun: { command: 'blender', args: ['-f', '{{Task.Param.Frame}}', '{{Param.Scene}}'] },
    embeddedFiles: [],
  };
  const plan = jobPlan([
    { ...render, script, requirements: { ...NEEDS, pools: ['nuke', 'houdini'] } },
    encode,
  ]);
  const job = { description: '', extensions: [], environments: [] };
  fixture.preparation = {
    ok: true,
    job: { ...job, plan: partsOf(plan), rows: null },
    previews: previewJob({ ...job, plan }, EXPRESSIONS),
  };
  fixture.answer = () => done([NONE, SOME]);
}

void test('a dry run returns the job and the workers that can run it', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const answer = await client.send('POST', `${DRY}&param.A=1`, {
    ...YAML,
    headers: { ...YAML.headers, 'idempotency-key': 'k' },
  });
  t.equal(answer.status, 200);
  t.strictSame(answer.body, {
    name: 'fractal',
    task_count: 25,
    parameters: { Scene: 'mandelbrot' },
    steps: [
      {
        name: 'render',
        order: 0,
        task_count: 24,
        first: {
          task: 'render[Frame=1]',
          parameters: { Frame: '1' },
          command: 'blender',
          args: ['-f', '1', 'mandelbrot'],
        },
        last: {
          task: 'render[Frame=24]',
          parameters: { Frame: '24' },
          command: 'blender',
          args: ['-f', '24', 'mandelbrot'],
        },
        workers: {
          online: 3,
          elsewhere: 1,
          eligible: 0,
          rejected: [{ reason: 'amount requirement not met', requirement: 'amount.worker.vcpu', workers: 3 }],
          reason: 'amount requirement not met',
          sentence:
            'No worker can run it: 3 workers fail amount.worker.vcpu; the nearest, node-3, has 4 where at least 8 is wanted.',
          nearest_miss: {
            worker_id: NEAR,
            worker: 'node-3',
            reason: 'amount requirement not met',
            requirement: 'amount.worker.vcpu',
            wanted: 'at least 8',
            offered: '4',
          },
        },
        unregistered_pools: ['houdini'],
      },
      {
        name: 'encode',
        order: 1,
        task_count: 1,
        depends_on: ['render'],
        first: { task: 'encode', command: 'render', args: [] },
        last: { task: 'encode', command: 'render', args: [] },
        workers: { online: 3, elsewhere: 1, eligible: 3, rejected: [] },
      },
    ],
  });
  t.same(api.prepared, [
    {
      client: '127.0.0.1',
      text: 'name: x',
      format: 'yaml',
      jobName: '',
      values: { A: '1' },
      inherited: {},
      environments: [],
      previews: true,
    },
  ]);
  t.match(api.asked, [{ actor: 'lease', id: FARM, message: { type: 'demands.explain', queueId: QUEUE } }]);
  t.equal(api.asked.length, 1, 'no actor receives a request to store');
  const key = { ...YAML.headers, 'idempotency-key': 'k' };
  t.match(
    await client.send('POST', DRY, { ...YAML, headers: key }),
    { status: 200 },
    'the key was not stored',
  );
});

void test('a dry run without a reply of the scheduler omits the workers', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.answer = () => new Promise(() => undefined);
  const answered = client.send('POST', DRY, YAML);
  await api.until(() => api.delays.length > 0);
  api.delays[0]?.end();
  const { steps } = (await answered).body as { steps: readonly object[] };
  t.same(
    steps.map((step) => 'workers' in step),
    [false, false],
  );
  t.match(api.logged, [{ level: 'warn', attributes: { farm_id: FARM } }]);
});

void test('a dry run fails like a submission', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const both = async (query: string, detail: RegExp, status: number): Promise<void> => {
    for (const dry of ['', '&dry_run=false', '&dry_run=true']) {
      const answer = await client.send('POST', `/api/v1/jobs?${query}${dry}`, YAML);
      t.match(answer, { status, body: { detail } }, `${query}${dry}`);
    }
  };
  await both(`farm_id=${FARM}`, /^\/query\/queue_id: is required$/, 400);
  await both(`farm_id=${uuid('f', 9)}&queue_id=${QUEUE}`, /^\/query\/farm_id: no farm/, 400);
  await both(`farm_id=${FARM}&queue_id=${uuid('b', 9)}`, /^\/query\/queue_id: the farm has no queue/, 400);
  await both(`${WHERE}&max_attempts=0`, /^\/query\/max_attempts: must be >= 1$/, 400);
  await both(`${WHERE}&depends_on=${jobNumber(7)}`, /^\/query\/depends_on: the farm has no job/, 400);
  api.preparation = { ok: false, errors: [{ pointer: '/name', detail: 'is missing' }] };
  await both(WHERE, /^\/name: is missing$/, 422);
  api.preparation = { ok: false, deadline: true };
  await both(WHERE, /template evaluation timed out/, 503);
  api.acceptsSubmissions = false;
  await both(WHERE, /nearly full/, 503);
  t.same(api.asked, []);
  t.match(await client.send('POST', `/api/v1/jobs?${WHERE}&dry_run=yes`, YAML), {
    status: 400,
    body: { detail: '/query/dry_run: must be boolean' },
  });
});
