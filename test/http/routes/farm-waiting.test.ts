import { test } from 'tap';
import { NO_TASKS } from '../../../src/core/lifecycle/task-counts.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import {
  FARM,
  farmRecord,
  jobNumber,
  jobRecord,
  QUEUE,
  queueRecord,
  WORKER,
  workerRecord,
} from '../kit/records.ts';
import type { WaitingCause, WaitingExplanation, WaitingGroup } from '../../../src/core/lease/explanation.ts';

const WAITING = `/api/v1/stats/waiting?farm_id=${FARM}`;

const group = (cause: WaitingCause, tasks: number): WaitingGroup => ({
  ...cause,
  tasks,
  jobs: 1,
  jobIds: [jobNumber(1)],
});

function furnish(fixture: ApiFixture, waiting: WaitingExplanation): void {
  fixture.write(
    put('farm', keys.farm(FARM), farmRecord({ maxConcurrentTasks: 1000 })),
    put('queue', keys.queue(QUEUE), queueRecord({ maxConcurrentTasks: 1 })),
  );
  fixture.answer = () => done(waiting);
}

void test('each reason has a sentence and its subject', async (t) => {
  const { api, client } = await startApi(t);
  const groups = [
    group({ reason: 'order' }, 20),
    group({ reason: 'cores' }, 19),
    group({ reason: 'farm_cap' }, 18),
    group({ reason: 'queue_cap', queueId: QUEUE }, 17),
    group({ reason: 'usage_pool', pool: 'nuke' }, 16),
    group({ reason: 'retry_after' }, 15),
    group({ reason: 'workers', unschedulableReason: 'no online workers' }, 14),
    group({ reason: 'usage_pool_missing', pool: 'mari' }, 13),
    group({ reason: 'paused_queue', queueId: QUEUE }, 12),
  ];
  furnish(api, { groups, isPartial: true });
  const { status, body } = await client.get(WAITING);
  t.equal(status, 200);
  // A deleted job is named by its id.
  const shared = { jobs: 1, job_ids: [jobNumber(1)], job_names: [jobNumber(1)] };
  t.strictSame(body, {
    farm_id: FARM,
    at: '2026-11-20T10:00:00.000Z',
    tasks: 144,
    groups: [
      {
        reason: 'order',
        sentence: 'It is their turn soon: workers have room for them.',
        tasks: 20,
        ...shared,
      },
      {
        reason: 'cores',
        sentence: 'Workers may run them, and none has the cores free.',
        tasks: 19,
        ...shared,
      },
      {
        reason: 'farm_cap',
        sentence: 'The farm is at its cap of 1,000 concurrent tasks.',
        tasks: 18,
        ...shared,
      },
      {
        reason: 'queue_cap',
        sentence: 'Queue day is at its cap of 1 concurrent task.',
        tasks: 17,
        ...shared,
        queue_id: QUEUE,
      },
      {
        reason: 'usage_pool',
        sentence: 'Usage pool nuke is at capacity.',
        tasks: 16,
        ...shared,
        pool: 'nuke',
      },
      {
        reason: 'retry_after',
        sentence: 'They are held back for a while after a failure.',
        tasks: 15,
        ...shared,
      },
      {
        reason: 'workers',
        sentence: 'No worker may run them: no online workers.',
        tasks: 14,
        ...shared,
        unschedulable_reason: 'no online workers',
      },
      {
        reason: 'usage_pool_missing',
        sentence: 'Usage pool mari is not registered and has no slots.',
        tasks: 13,
        ...shared,
        pool: 'mari',
      },
      { reason: 'paused_queue', sentence: 'Queue day is paused.', tasks: 12, ...shared, queue_id: QUEUE },
    ],
    is_partial: true,
  });
});

void test('tasks of paused jobs are added, and one query of the scheduler serves many clients', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api, { groups: [group({ reason: 'cores' }, 2)], isPartial: false });
  for (const number of [1, 2]) {
    const job = jobRecord({ id: jobNumber(number), status: 'paused', taskCounts: { ...NO_TASKS, ready: 3 } });
    api.write(put('job', keys.job(job.id), job));
  }
  const paused = {
    reason: 'paused_job',
    sentence: 'The jobs are paused.',
    tasks: 6,
    jobs: 2,
    job_ids: [jobNumber(1), jobNumber(2)],
    job_names: ['fractal', 'fractal'],
  };
  const [first, second] = await Promise.all([client.get(WAITING), client.get(WAITING)]);
  t.match(first.body, { tasks: 8, groups: [paused, { reason: 'cores', tasks: 2 }] });
  t.strictSame(second.body, first.body);
  t.equal(api.asked.length, 1);
  api.steadyNow += 2999;
  await client.get(WAITING);
  t.equal(api.asked.length, 1);
  api.steadyNow += 1;
  await client.get(WAITING);
  t.equal(api.asked.length, 2);
  t.match(api.asked[1], { actor: 'lease', id: FARM, message: { type: 'farm.explain' } });
});

void test('returns 404 for an unknown farm, and 503 without a reply of the scheduler', async (t) => {
  const { api, client } = await startApi(t);
  t.equal((await client.get(WAITING)).status, 404);
  t.equal((await client.get('/api/v1/stats/waiting')).status, 400);
  furnish(api, { groups: [], isPartial: false });
  const { answer } = api;
  api.answer = () => refused('unavailable', 'busy');
  t.match(await client.get(WAITING), { status: 503, body: { detail: /did not answer/ } });
  t.match(await client.get(WAITING.replace('/waiting', '/overview')), {
    status: 503,
    body: { detail: /did not answer/ },
  });
  api.answer = answer;
  t.match(
    await client.get(WAITING),
    { status: 200, body: { tasks: 0, groups: [] } },
    'the scheduler is queried again immediately',
  );
});

void test('an overview has the parts that the page of a farm needs', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api, { groups: [group({ reason: 'cores' }, 19)], isPartial: false });
  api.write(put('job', keys.job(jobNumber(1)), jobRecord({})));
  api.write(put('worker', keys.worker(WORKER), workerRecord({ id: WORKER, cpuCount: 8 })));
  const overview = `/api/v1/stats/overview?farm_id=${FARM}`;
  const { status, body } = await client.get(`${overview}&minutes=60&step_minutes=2`);
  t.equal(status, 200);
  const parts = body as Readonly<Record<string, unknown>>;
  const alone = async (path: string): Promise<unknown> => (await client.get(`/api/v1${path}`)).body;
  t.strictSame(parts['hour'], await alone(`/stats/history?farm_id=${FARM}&minutes=60`));
  t.strictSame(parts['history'], await alone(`/stats/history?farm_id=${FARM}&minutes=60&step_minutes=2`));
  t.strictSame(parts['waiting'], await alone(`/stats/waiting?farm_id=${FARM}`));
  t.match(parts['waiting'], { tasks: 19 });
  t.strictSame(parts['jobs'], await alone(`/jobs/summary?farm_id=${FARM}`));
  t.match(parts['jobs'], { total: 1 });
  const workers = (await alone(`/workers?summary=true&farm_id=${FARM}`)) as { summary: unknown };
  t.strictSame(parts['workers'], workers.summary);
  t.match(parts['workers'], { online: 1, cores_total: 8 });
  t.equal((await client.get('/api/v1/stats/overview?farm_id=none')).status, 404);
});
