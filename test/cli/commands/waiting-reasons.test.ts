import { test } from 'tap';
import { answeringService } from '../answering-service.ts';
import { runCallsheet } from '../run-callsheet.ts';

const ID = '0198a1c2-1111-7111-8111-111111111111';
const AT = '2026-01-02T03:04:05.678Z';
const POOL = 'Usage pool nuke is at capacity: 5 of 5 slots are taken.';
const COUNTS = { total: 4, ready: 4, running: 0, assigned: 0, succeeded: 0, failed: 0, canceled: 0 };
const JOB = {
  id: ID,
  farm_id: ID,
  name: 'shot',
  owner: 'ada',
  project: '',
  queue_id: ID,
  priority: 50,
  status: 'pending',
  task_counts: COUNTS,
  created_at: AT,
};
const STEP = { id: `${ID}-0`, name: 'Render', status: 'ready', task_counts: COUNTS };
const TASK = { id: `${ID}-0-0`, name: 'Render[Frame=1]', status: 'ready', failed_attempts: 0, job_id: ID };
const page = (items: readonly object[]) => [{ body: { items, total: items.length, limit: 50, offset: 0 } }];

const CATALOG = { 'GET /api/v1/farms': [{ body: [] }], 'GET /api/v1/queues': page([]) };

void test('lists of jobs, steps and tasks show why each item waits', async (t) => {
  const detail = {
    ...JOB,
    waiting_reason: POOL,
    failure_summary: { failed_count: 0 },
    steps: [{ ...STEP, waiting_reason: POOL }],
  };
  const service = await answeringService({
    ...CATALOG,
    'GET /api/v1/jobs': page([{ ...JOB, waiting_reason: POOL }]),
    [`GET /api/v1/jobs/${ID}/steps`]: [{ body: { items: [] } }],
    [`GET /api/v1/jobs/${ID}`]: [{ body: detail }],
    [`GET /api/v1/jobs/${ID}/environments`]: [{ body: [] }],
    [`GET /api/v1/jobs/${ID}/tasks`]: page([
      { ...TASK, waiting_reason: POOL, unschedulable_reason: 'queue' },
    ]),
    [`GET /api/v1/tasks/${TASK.id}`]: [{ body: { ...TASK, waiting_reason: POOL, updated_at: AT } }],
    [`GET /api/v1/tasks/${TASK.id}/attempts`]: [{ body: { items: [] } }],
  });
  t.teardown(() => service.close());
  const run = async (...args: readonly string[]): Promise<string> =>
    (await runCallsheet([...args, '--url', service.url])).out;
  t.match(await run('jobs'), new RegExp(`FAILED +REASON +PRIO[^]*0 +${POOL} +50`));
  t.match(await run('job', ID), new RegExp(`reason +${POOL}[^]*AFTER +REASON[^]*Render[^]*${POOL}`));
  t.match(await run('tasks', ID), new RegExp(`REASON[^]*0 +${POOL}`));
  t.match(await run('task', TASK.id), new RegExp(`waits +${POOL}`));
});

void test('a canceled job is not done', async (t) => {
  const canceled = {
    ...JOB,
    status: 'canceled',
    task_counts: { ...COUNTS, ready: 0, succeeded: 1, canceled: 3 },
  };
  const service = await answeringService({ ...CATALOG, 'GET /api/v1/jobs': page([canceled]) });
  t.teardown(() => service.close());
  const { out } = await runCallsheet(['jobs', '--url', service.url]);
  t.match(out, / canceled +25% +4 /);
  t.notMatch(out, 'REASON', 'no job has a reason');
});
