import { test } from 'tap';
import type { ServiceEnvelope } from '../../../actors/service/service-messages.ts';
import { attemptIdOf, farmId, workerId } from '../../../src/core/ids.ts';
import type { Holder, LeaseExplanation } from '../../../src/core/lease/explanation.ts';
import { done, refused, type Outcome } from '../../../src/core/problems.ts';
import { put, remove, type Change } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { leaseExplanation } from '../../kit/explain-parts.ts';
import { startApi, type ApiFixture } from '../kit/api-fixture.ts';
import {
  attemptRecord,
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
  type StepSketch,
} from '../kit/records.ts';

const JOB = jobNumber(1);
const SOUTH = farmId(uuid('f', 2));
const EAST = farmId(uuid('f', 3));

const render = (changes: Partial<StepSketch> = {}): StepSketch => ({
  name: 'Render',
  untouched: 'ready',
  taskCount: 3,
  space: FRAMES(3),
  touched: new Map(),
  ...changes,
});

/** Stores a farm with a queue, a worker and a job of one step. */
function furnish(fixture: ApiFixture, ...more: readonly Change[]): void {
  fixture.write(
    put('farm', keys.farm(FARM), farmRecord({ name: 'north' })),
    put('queue', keys.queue(QUEUE), queueRecord()),
    put('worker', keys.worker(WORKER), workerRecord({ name: 'render-017' })),
    ...jobChanges({ name: 'Shot 010' }, [render()]),
    ...more,
  );
}

/** Replies of lease actors by farm and message; any other message fails the test. */
const schedulers =
  (answers: Readonly<Record<string, Outcome<LeaseExplanation | readonly Holder[]>>>) =>
  ({ actor, id, message }: ServiceEnvelope): Outcome<unknown> => {
    const answer = answers[`${actor} ${id} ${message.type}`];
    if (answer === undefined) throw new Error(`unexpected message to ${actor} ${id} ${message.type}`);
    return answer;
  };

const explained = (lease: LeaseExplanation) => schedulers({ [`lease ${FARM} task.explain`]: done(lease) });

void test('explains a ready task that no worker can run, with the workers from the scheduler', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.answer = explained(
    leaseExplanation({
      workers: {
        online: 200,
        elsewhere: 3,
        eligible: 0,
        rejected: [
          { reason: 'attribute requirement not met', requirement: 'attr.worker.tag.gpu', workers: 199 },
          { reason: 'queue affinity', workers: 1 },
        ],
        nearestMiss: {
          workerId: WORKER,
          ineligibility: {
            reason: 'attribute requirement not met',
            requirement: { name: 'attr.worker.tag.gpu', anyOf: ['a5000'] },
            offered: 'a4000',
          },
        },
        avoided: [workerId(uuid('e', 9))],
      },
    }),
  );
  const rejected = [
    { reason: 'attribute requirement not met', requirement: 'attr.worker.tag.gpu', workers: 199 },
    { reason: 'queue affinity', workers: 1 },
  ];
  const sentence =
    'No worker can run it: 199 workers fail attr.worker.tag.gpu and 1 worker serves other queues; the nearest, render-017, has attr.worker.tag.gpu a4000 where a5000 is wanted.';
  t.same((await client.get(`/api/v1/tasks/${taskIdAt(0, 1)}/explain`)).body, {
    task_id: taskIdAt(0, 1),
    job_id: JOB,
    step_id: `${JOB}-0`,
    name: 'Render[Frame=2]',
    status: 'ready',
    at: '2026-11-20T10:00:00.000Z',
    summary: sentence,
    gates: [
      {
        gate: 'workers',
        reason: 'attribute requirement not met',
        sentence,
        online: 200,
        elsewhere: 3,
        rejected,
        nearest_miss: {
          worker_id: WORKER,
          worker: 'render-017',
          reason: 'attribute requirement not met',
          requirement: 'attr.worker.tag.gpu',
          wanted: 'a5000',
          offered: 'a4000',
        },
      },
    ],
    workers: {
      online: 200,
      elsewhere: 3,
      eligible: 0,
      with_room: 0,
      rejected,
      avoided: [{ id: uuid('e', 9), name: uuid('e', 9) }],
    },
    failures: [],
  });
  const [asked] = api.asked;
  t.same(
    api.asked.map(({ actor, id }) => [actor, id]),
    [['lease', FARM]],
  );
  t.match(asked?.message, {
    type: 'task.explain',
    jobId: JOB,
    stepOrder: 0,
    index: 1,
    queueId: QUEUE,
    requirements: { cores: 1, computeLocation: '', amounts: [], pools: [], attributes: [] },
  });
});

void test('explains a queued task: position, reserved worker, failures of the step by worker', async (t) => {
  const { api, client } = await startApi(t);
  const failures = (number: number, count: number, lastAt: number) =>
    put('stepFailures', keys.stepFailures(JOB, 0, workerId(uuid('e', number))), {
      version: 1,
      workerId: workerId(uuid('e', number)),
      failures: count,
      lastAt,
    });
  furnish(
    api,
    failures(1, 2, T0 - 5000),
    failures(2, 7, T0 - 4000),
    failures(3, 2, T0 - 3000),
    put('stepFailures', keys.stepFailures(JOB, 1, WORKER), {
      version: 1,
      workerId: WORKER,
      failures: 99,
      lastAt: T0,
    }),
    put(
      'worker',
      keys.worker(workerId(uuid('e', 3))),
      workerRecord({ id: workerId(uuid('e', 3)), name: 'node-3' }),
    ),
  );
  api.answer = explained(
    leaseExplanation({ before: { tasks: 1204, jobs: 3 }, reservedWorker: WORKER, workers: { online: 20 } }),
  );
  t.same((await client.get(`/api/v1/tasks/${taskIdAt(0, 0)}/explain`)).body, {
    task_id: taskIdAt(0, 0),
    job_id: JOB,
    step_id: `${JOB}-0`,
    name: 'Render[Frame=1]',
    status: 'ready',
    at: '2026-11-20T10:00:00.000Z',
    summary:
      'Ready, behind 1,204 tasks and 3 other jobs: 14 of 14 eligible workers are busy; render-017 is kept free for its step.',
    gates: [
      {
        gate: 'cores',
        reason: 'no free cores',
        sentence: '14 of 14 eligible workers are busy; it reserves 1 core.',
        cores: 1,
        eligible: 14,
      },
      {
        gate: 'order',
        reason: 'tasks before it',
        sentence: '1,204 tasks and 3 other jobs are ahead of it.',
        tasks: 1204,
        jobs: 3,
      },
    ],
    position: { tasks: 1204, jobs: 3 },
    workers: {
      online: 20,
      elsewhere: 0,
      eligible: 14,
      with_room: 0,
      rejected: [],
      reserved: { id: WORKER, name: 'render-017' },
      avoided: [],
    },
    failures: [
      { worker_id: uuid('e', 2), worker: uuid('e', 2), failures: 7, last_at: '2026-11-20T09:59:56.000Z' },
      { worker_id: uuid('e', 3), worker: 'node-3', failures: 2, last_at: '2026-11-20T09:59:57.000Z' },
      { worker_id: WORKER, worker: 'render-017', failures: 2, last_at: '2026-11-20T09:59:55.000Z' },
    ],
  });
});

void test('explains full pools with the holders in other farms', async (t) => {
  const { api, client } = await startApi(t);
  const other = jobNumber(9);
  furnish(
    api,
    put('farm', keys.farm(SOUTH), farmRecord({ id: SOUTH, name: 'south' })),
    put('farm', keys.farm(EAST), farmRecord({ id: EAST, name: 'east' })),
    ...jobChanges({ id: other, farmId: SOUTH, name: 'Sim v12' }, [render({ name: 'Simulate' })]),
  );
  const pool = (name: string, maxConcurrent: number | null, inUse: number, live: number) => ({
    name,
    maxConcurrent,
    inUse,
    holders: live === 0 ? [] : [{ jobId: JOB, stepOrder: 0, live }],
  });
  const asks: string[] = [];
  api.answer = (envelope) => {
    const { message } = envelope;
    if (message.type === 'pool.explain') asks.push(`${envelope.id} ${message.pool}`);
    return schedulers({
      [`lease ${FARM} task.explain`]: done(
        leaseExplanation({
          pools: [
            pool('houdini', 5, 5, 2),
            pool('nuke', 2, 2, 2),
            pool('maya', 9, 8, 1),
            pool('none', null, 0, 0),
          ],
          workers: { withRoom: 1 },
        }),
      ),
      [`lease ${SOUTH} pool.explain`]: done([{ jobId: other, stepOrder: 0, live: 3 }]),
      [`lease ${EAST} pool.explain`]: refused('unavailable', 'the farm is loading'),
    })(envelope);
  };
  const { body } = await client.get(`/api/v1/tasks/${taskIdAt(0, 0)}/explain`);
  t.same(asks.toSorted(), [`${SOUTH} houdini`, `${EAST} houdini`], 'known facts are not requested again');
  const north = { id: FARM, name: 'north' };
  const own = {
    farm: north,
    job: { id: JOB, name: 'Shot 010' },
    step: { id: `${JOB}-0`, name: 'Render' },
    live: 2,
  };
  t.same((body as { gates: unknown }).gates, [
    {
      gate: 'usage_pool',
      reason: 'usage pool at capacity',
      sentence:
        'Usage pool houdini is at capacity: 5 of 5 slots are taken; job Sim v12 (Simulate) of farm south holds 3 and this job (Render) 2.',
      pool: 'houdini',
      registered: true,
      limit: 5,
      live: 5,
      holders: [
        {
          farm: { id: SOUTH, name: 'south' },
          job: { id: other, name: 'Sim v12' },
          step: { id: `${other}-0`, name: 'Simulate' },
          live: 3,
        },
        own,
      ],
    },
    {
      gate: 'usage_pool',
      reason: 'usage pool at capacity',
      sentence: 'Usage pool nuke is at capacity: 2 of 2 slots are taken; this job (Render) holds 2.',
      pool: 'nuke',
      registered: true,
      limit: 2,
      live: 2,
      holders: [own],
    },
    {
      gate: 'usage_pool',
      reason: 'usage pool at capacity',
      sentence: 'Usage pool none is not registered and has no slots: the task cannot start before it is.',
      pool: 'none',
      registered: false,
      limit: 0,
      live: 0,
      holders: [],
    },
  ]);
  t.match(api.logged, [
    {
      level: 'warn',
      text: 'scheduler did not answer a query',
      attributes: { farm_id: EAST, detail: 'the farm is loading' },
    },
  ]);
});

void test('every gate has the format of the contract', async (t) => {
  const { api, client } = await startApi(t);
  const upstream = jobNumber(7);
  const cap = { maxConcurrentTasks: 2, live: 2, holders: [{ jobId: JOB, stepOrder: 0, live: 2 }] };
  furnish(
    api,
    put('queue', keys.queue(QUEUE), queueRecord({ retry: { maxAttempts: 4 } })),
    ...jobChanges(
      {
        status: 'paused',
        parkReason: 'failure limit reached',
        failedAttempts: 1,
        waitsWhilePaused: true,
        dependsOn: [upstream, jobNumber(8)],
        retry: { maxAttempts: 5 },
      },
      [
        render({
          touched: new Map([
            [0, taskState({ status: 'ready', failedAttempts: 1, attemptNumber: 1, retryAfter: T0 + 42_000 })],
          ]),
        }),
        render({ name: 'Comp', untouched: 'pending' }),
      ],
    ),
    ...jobChanges({ id: upstream, name: 'Sim v12', status: 'running' }, [render()]),
    put(
      'attempt',
      keys.attempt({ jobId: JOB, stepOrder: 0, index: 0 }, 1),
      attemptRecord({
        id: attemptIdOf({ jobId: JOB, stepOrder: 0, index: 0, attemptNumber: 1 }),
        status: 'failed',
        exitCode: 3,
        endedAt: T0,
      }),
    ),
  );
  api.answer = explained(
    leaseExplanation({
      isOffered: false,
      isQueuePaused: true,
      heldUntil: T0 + 42_000,
      farmCap: cap,
      queueCap: cap,
      workers: { online: 0, eligible: 0 },
    }),
  );
  const holders = [
    {
      farm: { id: FARM, name: 'north' },
      job: { id: JOB, name: 'fractal' },
      step: { id: `${JOB}-0`, name: 'Render' },
      live: 2,
    },
  ];
  const paused = [
    {
      gate: 'paused_job',
      reason: 'job parked',
      sentence: 'The job was parked after 1 failure: failure limit reached; resume or retry it to continue.',
      park_reason: 'failure limit reached',
      failed_attempts: 1,
    },
    {
      gate: 'paused_queue',
      reason: 'queue paused',
      sentence: 'The queue day is paused: no new tasks start until it is resumed.',
      queue: { id: QUEUE, name: 'day' },
    },
  ];
  const workers = {
    gate: 'workers',
    reason: 'no online workers',
    sentence: 'No worker is online.',
    online: 0,
    elsewhere: 0,
    rejected: [],
  };
  const ready = (await client.get(`/api/v1/tasks/${taskIdAt(0, 0)}/explain`)).body;
  t.match(ready, {
    status: 'ready',
    attempt: { attempt_number: 1, status: 'failed', exit_code: 3, worker_id: WORKER },
  });
  t.same((ready as { gates: unknown }).gates, [
    ...paused,
    {
      gate: 'retry_after',
      reason: 'retry back-off',
      sentence:
        'Held back until 10:00:42 UTC, for 42 s more: 1 of 5 attempts has failed, the last on render-017 (exit 3).',
      until: '2026-11-20T10:00:42.000Z',
      failed_attempts: 1,
      max_attempts: 5,
    },
    {
      gate: 'farm_cap',
      reason: 'farm at max_concurrent_tasks',
      sentence: 'Farm north is at its cap of 2 concurrent tasks; this job (Render) holds 2.',
      limit: 2,
      live: 2,
      holders,
    },
    {
      gate: 'queue_cap',
      reason: 'queue at max_concurrent_tasks',
      sentence: 'Queue day is at its cap of 2 concurrent tasks; this job (Render) holds 2.',
      queue: { id: QUEUE, name: 'day' },
      limit: 2,
      live: 2,
      holders,
    },
    workers,
  ]);
  const pending = (await client.get(`/api/v1/tasks/${taskIdAt(1, 2)}/explain`)).body;
  t.same((pending as { gates: unknown }).gates, [
    {
      gate: 'upstream_job',
      reason: 'upstream job not completed',
      sentence: 'Waits for job Sim v12: 3 of 3 tasks left, none running.',
      job: { id: upstream, name: 'Sim v12' },
      status: 'running',
      progress: { total: 3, left: 3, running: 0, failed: 0 },
    },
    {
      gate: 'upstream_job',
      reason: 'upstream job not completed',
      sentence: `Upstream job ${jobNumber(8)} does not exist any more.`,
      job: { id: jobNumber(8), name: jobNumber(8) },
    },
    {
      gate: 'upstream_step',
      reason: 'upstream step not completed',
      sentence: 'Waits for step Render: 3 of 3 tasks left, none running.',
      step: { id: `${JOB}-0`, name: 'Render' },
      status: 'ready',
      progress: { total: 3, left: 3, running: 0, failed: 0 },
    },
    ...paused,
    workers,
  ]);
});

void test('explains tasks that do not wait, without the scheduler', async (t) => {
  const { api, client } = await startApi(t);
  const state = (status: 'running' | 'failed' | 'canceled' | 'succeeded', text = false) =>
    taskState({ status, attemptNumber: 1, failedAttempts: 1, assignedAt: T0 - 60_000, hasText: text });
  const attempt = (index: number, changes: object) =>
    put(
      'attempt',
      keys.attempt({ jobId: JOB, stepOrder: 0, index }, 1),
      attemptRecord({
        id: attemptIdOf({ jobId: JOB, stepOrder: 0, index, attemptNumber: 1 }),
        startedAt: T0 - 60_000,
        ...changes,
      }),
    );
  furnish(
    api,
    ...jobChanges({ status: 'running' }, [
      render({
        taskCount: 4,
        space: FRAMES(4),
        touched: new Map([
          [0, state('running')],
          [1, state('failed', true)],
          [2, state('succeeded')],
          [3, taskState({ status: 'canceled', hasText: true })],
        ]),
      }),
    ]),
    attempt(0, {}),
    attempt(1, { status: 'failed', endedAt: T0 }),
    attempt(2, { status: 'succeeded', endedAt: T0 - 30_000, workerId: workerId(uuid('e', 5)) }),
    put('taskText', keys.taskText({ jobId: JOB, stepOrder: 0, index: 1 }), {
      version: 1,
      failureReason: 'failed (exit 3)',
    }),
    put('taskText', keys.taskText({ jobId: JOB, stepOrder: 0, index: 3 }), {
      version: 1,
      failureReason: 'canceled by user',
    }),
  );
  api.answer = schedulers({});
  const summaries = [
    'Running on render-017 for 1 min.',
    'Failed after 1 attempt on render-017: failed (exit 3).',
    `Succeeded on ${uuid('e', 5)} after 30 s, at 09:59:30 UTC.`,
    'Canceled by a user.',
  ];
  for (const [index, summary] of summaries.entries()) {
    const { status, body } = await client.get(`/api/v1/tasks/${taskIdAt(0, index)}/explain`);
    t.match([status, body], [200, { summary, gates: [], failures: [] }]);
    t.notOk(Object.hasOwn(body as object, 'workers'));
  }
  t.same(api.asked, []);
});

void test('explains from the store if the scheduler refuses, fails or does not answer', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api, put('queue', keys.queue(QUEUE), queueRecord({ paused: true })));
  const sentences = [
    'The queue day is paused: no new tasks start until it is resumed.',
    'The scheduler does not answer: the workers that can run the task are unknown at the moment.',
  ];
  const answers: readonly [ApiFixture['answer'], string][] = [
    [() => refused('unavailable', 'the service is stopping'), 'the service is stopping'],
    [() => Promise.reject(new Error('the port is closed')), 'Error: the port is closed'],
    [() => new Promise(() => undefined), 'no answer within 2000 ms'],
  ];
  for (const [answer, detail] of answers) {
    api.answer = answer;
    api.logged.length = 0;
    const answering = client.get(`/api/v1/tasks/${taskIdAt(0, 0)}/explain`);
    if (detail.startsWith('no answer')) {
      await api.until(() => api.delays.length === 1);
      api.delays[0]?.end();
    }
    const { status, body } = await answering;
    const { gates, ...rest } = body as { gates: { sentence: string }[]; workers?: unknown };
    t.equal(status, 200);
    t.same(
      gates.map((gate) => gate.sentence),
      sentences,
    );
    t.notOk('workers' in rest || 'position' in rest);
    t.match(api.logged, [{ attributes: { farm_id: FARM, detail } }]);
    t.same(api.delays, [], 'no wait is left');
  }
});

void test('includes changes during the query of the scheduler', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  api.answer = () => {
    api.write(
      ...jobChanges({ status: 'running' }, [
        render({
          touched: new Map([[0, taskState({ status: 'running', attemptNumber: 1, assignedAt: T0 - 2000 })]]),
        }),
      ]),
    );
    return done(leaseExplanation());
  };
  t.match((await client.get(`/api/v1/tasks/${taskIdAt(0, 0)}/explain`)).body, {
    status: 'running',
    summary: 'Running for 2 s.',
    gates: [],
  });
  api.answer = () => {
    api.write(remove('job', keys.job(JOB)));
    return done(leaseExplanation());
  };
  t.equal((await client.get(`/api/v1/tasks/${taskIdAt(0, 1)}/explain`)).status, 404);
});

void test('returns 404 for unknown tasks', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  for (const id of [taskIdAt(0, 3), taskIdAt(1, 0), taskIdAt(0, 0, jobNumber(5)), 'nonsense', `${JOB}-0`]) {
    const { status, body } = await client.get(`/api/v1/tasks/${id}/explain`);
    t.match([status, body], [404, { detail: `no task ${id}` }]);
  }
  t.equal((await client.send('POST', `/api/v1/tasks/${taskIdAt(0, 0)}/explain`)).status, 405);
  t.same(api.asked, []);
});

void test('the number of reads does not grow with tasks, jobs or workers', async (t) => {
  const { api, client } = await startApi(t);
  furnish(api);
  const scanned: string[] = [];
  const scan = api.store.scan.bind(api.store);
  api.store.scan = (table, options) => {
    scanned.push(`${table} ${options?.prefix ?? ''} ${options?.limit ?? ''}`);
    return scan(table, options);
  };
  api.answer = explained(
    leaseExplanation({
      pools: [{ name: 'houdini', maxConcurrent: 1, inUse: 1, holders: [] }],
      workers: { withRoom: 1 },
    }),
  );
  await client.get(`/api/v1/tasks/${taskIdAt(0, 0)}/explain`);
  t.same(scanned, ['farm  64', `step ${JOB}/ `, `stepFailures ${keys.stepFailuresOf(JOB, 0)} 1000`]);
});
