import { test } from 'tap';
import { attemptIdOf, farmId, workerId, type JobId } from '../../../src/core/ids.ts';
import type { PoolUse } from '../../../src/core/lease/explanation.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put, type Change } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import {
  FARM,
  farmRecord,
  FRAMES,
  jobChanges,
  jobNumber,
  QUEUE,
  queueRecord,
  T0,
  taskIdAt,
  taskState,
  uuid,
  WORKER,
  workerRecord,
} from '../kit/records.ts';
import { startSignedIn } from '../kit/signed-in.ts';

const POOL = uuid('a', 1);
const SOUTH = farmId(uuid('f', 2));
const OTHER_WORKER = workerId(uuid('e', 9));
const [FIRST, SECOND] = [jobNumber(1), jobNumber(2)];
const PATH = `/api/v1/usage-pools/${POOL}/use`;

const runningJob = (id: JobId, name: string, owner: string, assignedAt: number): Change[] =>
  jobChanges({ id, name, owner }, [
    {
      name: 'Comp',
      untouched: 'ready',
      taskCount: 3,
      space: FRAMES(3),
      touched: new Map([[1, taskState({ status: 'running', assignedAt, workerOrdinal: 0 })]]),
    },
  ]);

const booked = (jobId: JobId) => ({
  version: 1 as const,
  bookings: [{ attemptId: attemptIdOf({ jobId, stepOrder: 0, index: 1, attemptNumber: 1 }), cores: 1 }],
});

function furnish(api: ApiFixture): void {
  const pool = { version: 1, id: POOL, name: 'Nuke', maxConcurrent: 2, serverHint: '', slot: 5 } as const;
  api.write(
    put('farm', keys.farm(FARM), farmRecord()),
    put('farm', keys.farm(SOUTH), farmRecord({ id: SOUTH, name: 'south' })),
    put('queue', keys.queue(QUEUE), queueRecord()),
    put('worker', keys.worker(WORKER), workerRecord({ name: 'render-017' })),
    put('worker', keys.worker(OTHER_WORKER), workerRecord({ id: OTHER_WORKER, name: 'render-018' })),
    put('usagePool', keys.usagePool(POOL), { ...pool, createdAt: T0, updatedAt: T0 }),
    ...runningJob(FIRST, 'Comp 010', 'Alice', T0 + 2000),
    ...runningJob(SECOND, 'Comp 020', 'bob', T0 + 1000),
    put('booking', keys.booking(WORKER), booked(FIRST)),
    put('booking', keys.booking(OTHER_WORKER), booked(SECOND)),
  );
  api.tallies.set(5, 2);
}

const held = (jobId: JobId) => ({ jobId, stepOrder: 0, live: 1 });
const waits = (jobId: JobId, tasks: number) => ({ jobId, stepOrder: 0, tasks });

/** The north farm answers with `use`, the south farm is loading. */
const answerWith =
  (use: PoolUse): ApiFixture['answer'] =>
  ({ id }) =>
    id === FARM ? done(use) : refused('unavailable', 'the farm is loading');

const USE: PoolUse = {
  holders: [held(FIRST), held(SECOND)],
  waiters: [waits(SECOND, 2), waits(FIRST, 1)],
  waitingTasks: 3,
  isPartial: false,
};

interface Body {
  readonly holders: readonly object[];
  readonly waiting: readonly object[];
  readonly waiting_tasks: number;
  readonly is_partial: boolean;
  readonly history: object;
}

void test('the use of a pool names its holders, longest first, and its waiters in order', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.answer = answerWith(USE);
  const { status, body } = await client.get(PATH);
  t.equal(status, 200);
  t.match(body, {
    pool: { name: 'Nuke', in_use: 2, available: 0 },
    holders: [
      { task_id: taskIdAt(0, 1, SECOND), job_name: 'Comp 020', worker_name: 'render-018' },
      {
        task_id: taskIdAt(0, 1, FIRST),
        job_id: FIRST,
        job_name: 'Comp 010',
        status: 'running',
        worker_id: WORKER,
        worker_name: 'render-017',
        since: '2026-11-20T10:00:02.000Z',
      },
    ],
    waiting_tasks: 3,
    waiting: [
      { farm_id: FARM, job_name: 'Comp 020', step_id: `${SECOND}-0`, step_name: 'Comp', tasks: 2 },
      { job_id: FIRST, tasks: 1 },
    ],
    is_partial: true,
    history: { times: [], in_use: [] },
  });
  t.strictSame(
    api.asked.map(({ id }) => id),
    [FARM, SOUTH],
  );
  api.answer = ({ id }) =>
    done({ ...USE, holders: id === FARM ? [held(FIRST)] : [], waiters: [], waitingTasks: 0 });
  const { holders, is_partial: isPartial } = (await client.get(PATH)).body as Body;
  t.equal(holders.length, 1, 'a booked task of another step is left out');
  t.equal(isPartial, false);
  t.match(await client.get(`/api/v1/usage-pools/${uuid('a', 2)}/use`), { status: 404 });
});

void test('an owner sees only its own holders and waiters, and the slots of all', async (t) => {
  const { api, as } = await startSignedIn(t);
  furnish(api);
  api.answer = answerWith(USE);
  const body = (await as('alice').get(PATH)).body as Body;
  t.match(body, { pool: { in_use: 2 }, holders: [{ job_id: FIRST }], waiting: [{ job_id: FIRST }] });
  t.strictSame([body.holders.length, body.waiting.length, body.waiting_tasks], [1, 1, 1]);
});

void test('the claimed slots of each minute are kept', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.answer = () => done({ ...USE, holders: [], waiters: [], waitingTasks: 0 });
  while (api.farmWatch?.scanNext() === true);
  api.now += 60_000;
  while (api.farmWatch?.scanNext() === true);
  const { history } = (await client.get(PATH)).body as Body;
  t.match(history, { in_use: [2] });
});

void test('the list of queues has the jobs and tasks of each queue on request', async (t) => {
  const { api, as } = await startSignedIn(t);
  furnish(api);
  const summaryOf = async (name: 'alice' | 'oscar'): Promise<unknown> => {
    const { body } = await as(name).get('/api/v1/queues?summary=true');
    return (body as { items: { summary: unknown }[] }).items[0]?.summary;
  };
  t.match(await summaryOf('oscar'), { jobs: { total: 2 }, tasks_ready: 4, tasks_live: 2 });
  t.match(await summaryOf('alice'), { jobs: { total: 1 }, tasks_ready: 2, tasks_live: 1 });
  const { body } = await as('oscar').get('/api/v1/queues');
  t.notOk('summary' in ((body as { items: object[] }).items[0] ?? {}));
});
