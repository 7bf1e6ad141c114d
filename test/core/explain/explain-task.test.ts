import { test } from 'tap';
import { explainTask } from '../../../src/core/explain/explain-task.ts';
import type { TaskFacts } from '../../../src/core/explain/task-facts.ts';
import { farmId, jobId, queueId, stepIdOf, workerId } from '../../../src/core/ids.ts';
import type { IneligibleReason, UnmetRequirementReason } from '../../../src/core/lease/eligibility.ts';
import { clockText } from '../../../src/core/explain/wording.ts';
import type { LeaseExplanation, RejectedWorkers } from '../../../src/core/lease/explanation.ts';
import { countsOf } from '../../../src/core/lifecycle/task-counts.ts';
import type { AttributeRequirement } from '../../../src/openjd/template/plan.ts';
import {
  attempt,
  counts,
  JOB,
  jobRecord,
  leaseExplanation,
  NOW,
  stepRecord,
  taskFacts,
  taskState,
} from '../../kit/explain-parts.ts';
import { requirements } from '../../kit/lease-parts.ts';

const QUEUE = queueId('q-night');

const SIM = jobId('sim');
const summaryOf = (changes: Partial<TaskFacts>): string => explainTask(taskFacts(changes)).summary;
const sentencesOf = (changes: Partial<TaskFacts>): string[] =>
  explainTask(taskFacts(changes)).gates.map((gate) => gate.sentence);

const PENDING = { task: taskState({ status: 'pending' }) };

/** A step that depends on other steps; the first of them is as given. */
const after = (first: Parameters<typeof stepRecord>[2]): Partial<TaskFacts> => {
  const simulate = stepRecord(0, 'Simulate', first);
  const step = stepRecord(1, 'Render', { dependsOn: [0], status: 'pending' });
  return { ...PENDING, steps: [simulate, step], step };
};

const UNFINISHED = counts({ total: 120, succeeded: 81, running: 10, assigned: 2, ready: 25, failed: 2 });

test('live and ended tasks have no gates', (t) => {
  const cases: readonly [Partial<TaskFacts>, string][] = [
    [
      { task: taskState({ status: 'running', attemptNumber: 1 }), attempt: attempt() },
      'Running on render-004 for 12 min.',
    ],
    [
      { task: taskState({ status: 'running', attemptNumber: 2 }), attempt: attempt({ attemptNumber: 2 }) },
      'Running on render-004 for 12 min (attempt 2).',
    ],
    [
      {
        task: taskState({ status: 'assigned', attemptNumber: 1 }),
        attempt: attempt({ startedAt: NOW - 5000 }),
      },
      'Assigned to render-004 5 s ago; the worker has not reported yet that it runs.',
    ],
    [{ task: taskState({ status: 'running', assignedAt: NOW - 3000 }) }, 'Running for 3 s.'],
    [
      {
        task: taskState({ status: 'succeeded', attemptNumber: 1 }),
        attempt: attempt({ status: 'succeeded', endedAt: NOW - 60_000 }),
      },
      'Succeeded on render-004 after 11 min, at 09:59:00 UTC.',
    ],
    [
      {
        task: taskState({ status: 'succeeded', attemptNumber: 3 }),
        attempt: attempt({ status: 'succeeded', attemptNumber: 3, endedAt: NOW - 60_000 }),
      },
      'Succeeded on render-004 after 11 min, at 09:59:00 UTC (attempt 3).',
    ],
    [
      {
        task: taskState({ status: 'failed', attemptNumber: 1, failedAttempts: 1 }),
        attempt: attempt({ status: 'failed' }),
        failureReason: 'failed (exit 3)',
      },
      'Failed after 1 attempt on render-004: failed (exit 3).',
    ],
    [
      {
        task: taskState({ status: 'failed', attemptNumber: 3, failedAttempts: 3 }),
        attempt: attempt({ status: 'failed', attemptNumber: 3 }),
        failureReason: 'no license\nfor the renderer.',
      },
      'Failed after 3 attempts, the last on render-004: no license for the renderer.',
    ],
    [
      {
        task: taskState({ status: 'failed', attemptNumber: 5, failedAttempts: 3 }),
        attempt: attempt({ status: 'failed', attemptNumber: 5 }),
      },
      'Failed after 5 attempts, 3 of them counted as failures, the last on render-004.',
    ],
    [
      {
        task: taskState({ status: 'failed', attemptNumber: 467_000, failedAttempts: 2 }),
        attempt: attempt({ status: 'failed', attemptNumber: 467_000 }),
        attempts: 2,
      },
      'Failed after 2 attempts, the last on render-004.',
    ],
    [{ task: taskState({ status: 'failed' }) }, 'Failed.'],
    [{ task: taskState({ status: 'canceled' }), failureReason: 'canceled by user' }, 'Canceled by a user.'],
    [{ task: taskState({ status: 'canceled' }), failureReason: 'out of memory' }, 'Canceled: out of memory.'],
    [{ task: taskState({ status: 'canceled' }) }, 'Canceled.'],
    [
      {
        ...after({ status: 'failed' }),
        task: taskState({ status: 'canceled' }),
        failureReason: 'canceled: upstream step failed',
      },
      'Canceled because upstream step Simulate failed.',
    ],
    [
      {
        ...after({ status: 'canceled' }),
        task: taskState({ status: 'canceled' }),
        failureReason: 'canceled: upstream step failed',
      },
      'Canceled because upstream step Simulate was canceled.',
    ],
    [
      { task: taskState({ status: 'canceled' }), failureReason: 'canceled: upstream step failed' },
      'Canceled because an upstream step failed.',
    ],
    [
      {
        task: taskState({ status: 'canceled' }),
        failureReason: 'canceled: upstream job failed',
        upstreamJobs: [
          { id: SIM, record: jobRecord({ name: 'Sim v12', status: 'failed' }) },
          { id: SIM, record: jobRecord({ name: 'Sim v13', status: 'completed' }) },
          { id: SIM, record: jobRecord({ name: 'Sim v14', status: 'canceled' }) },
          { id: jobId('gone'), record: null },
        ],
      },
      'Canceled because upstream job Sim v12 failed, Sim v14 was canceled and gone was deleted.',
    ],
  ];
  for (const [changes, summary] of cases) {
    t.same(explainTask(taskFacts(changes)), { summary, gates: [], position: null, workers: null }, summary);
  }
  t.end();
});

test('a task that waits for upstream steps names them', (t) => {
  t.same(explainTask(taskFacts(after({ status: 'running', taskCounts: UNFINISHED }))), {
    summary: 'Waits for step Simulate: 37 of 120 tasks left, 12 running, 2 failed.',
    gates: [
      {
        gate: 'upstream_step',
        reason: 'upstream step not completed',
        sentence: 'Waits for step Simulate: 37 of 120 tasks left, 12 running, 2 failed.',
        step: { id: `${JOB}-0`, name: 'Simulate' },
        status: 'running',
        progress: { total: 120, left: 37, running: 12, failed: 2 },
      },
    ],
    position: null,
    workers: {
      online: 14,
      elsewhere: 0,
      eligible: 14,
      withRoom: 0,
      rejected: [],
      reserved: null,
      avoided: [],
    },
  });
  const cases: readonly [Parameters<typeof stepRecord>[2], string][] = [
    [{ taskCounts: countsOf(1, 'ready') }, 'Waits for step Simulate: 1 of 1 task left, none running.'],
    [
      { taskCounts: counts({ total: 12_000, ready: 11_000, unschedulable: 3, canceled: 1000 }) },
      'Waits for step Simulate: 11,000 of 12,000 tasks left, none running, 1,000 canceled, 3 unschedulable.',
    ],
    [
      { status: 'failed', taskCounts: counts({ total: 120, succeeded: 118, failed: 2 }) },
      'Step Simulate has failed (2 of 120 tasks) and must be retried first.',
    ],
    [
      { status: 'canceled', taskCounts: counts({ total: 1, canceled: 1 }) },
      'Step Simulate was canceled (1 of 1 task) and must be retried first.',
    ],
  ];
  for (const [first, sentence] of cases) {
    t.same(sentencesOf(after(first)), [sentence]);
    t.equal(summaryOf(after(first)), sentence);
  }
  t.end();
});

test('upstream steps: several, and steps that wait themselves', (t) => {
  const steps = [
    stepRecord(0, 'Prepare', { status: 'running', taskCounts: countsOf(4, 'running') }),
    stepRecord(1, 'Simulate', { status: 'pending', dependsOn: [0], taskCounts: countsOf(120, 'pending') }),
    stepRecord(2, 'Mesh', { status: 'running', taskCounts: UNFINISHED }),
    stepRecord(3, 'Done', { status: 'completed' }),
    stepRecord(4, 'Render', { dependsOn: [1, 2, 3] }),
  ];
  const [, , , , step] = steps;
  const changes = { ...PENDING, steps, ...(step && { step }) };
  t.same(sentencesOf(changes), [
    'Waits for step Simulate, which itself waits for step Prepare: 120 of 120 tasks left, none running.',
    'Waits for step Mesh: 37 of 120 tasks left, 12 running, 2 failed.',
  ]);
  t.equal(
    summaryOf(changes),
    'Waits for 2 steps: Simulate (pending, 120 tasks left) and Mesh (running, 37 tasks left).',
  );
  const many = [0, 1, 2, 3, 4].map((order) => stepRecord(order, `Sim ${order}`, { status: 'running' }));
  const last = stepRecord(5, 'Comp', { dependsOn: [0, 1, 2, 3, 4] });
  t.equal(
    summaryOf({ ...PENDING, steps: [...many, last], step: last }),
    'Waits for 5 steps: Sim 0 (running, 120 tasks left), Sim 1 (running, 120 tasks left), Sim 2 (running, 120 tasks left) and 2 more.',
  );
  t.end();
});

test('a task that waits for upstream jobs names them', (t) => {
  const blocked = (...upstreams: readonly Parameters<typeof jobRecord>[0][]): Partial<TaskFacts> => ({
    ...PENDING,
    job: jobRecord({ status: 'blocked', dependsOn: [SIM] }),
    upstreamJobs: upstreams.map((record) => ({
      id: SIM,
      record: jobRecord({ id: SIM, name: 'Sim v12', taskCounts: UNFINISHED, ...record }),
    })),
  });
  const left = '37 of 120 tasks left, 12 running, 2 failed';
  const cases: readonly [Parameters<typeof jobRecord>[0], string][] = [
    [{ status: 'running' }, `Waits for job Sim v12: ${left}.`],
    [{ status: 'pending' }, `Waits for job Sim v12: ${left}.`],
    [{ status: 'paused' }, `Waits for job Sim v12, which is paused: ${left}.`],
    [
      { status: 'paused', parkReason: 'failure limit reached' },
      `Waits for job Sim v12, which was parked (failure limit reached): ${left}.`,
    ],
    [{ status: 'blocked' }, `Waits for job Sim v12, which itself waits for other jobs: ${left}.`],
    [{ status: 'failed' }, `Waits for job Sim v12, which has failed: ${left}.`],
    [{ status: 'canceled' }, `Waits for job Sim v12, which was canceled: ${left}.`],
  ];
  for (const [upstream, sentence] of cases) {
    t.same(explainTask(taskFacts(blocked(upstream))).gates, [
      {
        gate: 'upstream_job',
        reason: 'upstream job not completed',
        sentence,
        job: { id: SIM, name: 'Sim v12' },
        status: upstream?.status,
        progress: { total: 120, left: 37, running: 12, failed: 2 },
      },
    ]);
    t.equal(summaryOf(blocked(upstream)), sentence);
  }
  t.equal(
    summaryOf(blocked({ status: 'running' }, { status: 'completed' }, { status: 'failed', name: 'Cache' })),
    'Waits for 2 jobs: Sim v12 (running, 37 tasks left) and Cache (failed, 37 tasks left).',
  );
  t.same(explainTask(taskFacts({ ...blocked(), upstreamJobs: [{ id: SIM, record: null }] })).gates, [
    {
      gate: 'upstream_job',
      reason: 'upstream job not completed',
      sentence: 'Upstream job sim does not exist any more.',
      job: { id: SIM, name: 'sim' },
      status: null,
      progress: null,
    },
  ]);
  t.same(
    sentencesOf({
      ...blocked({ status: 'running' }),
      job: jobRecord({ status: 'paused', waitsWhilePaused: true, dependsOn: [SIM] }),
    }),
    [`Waits for job Sim v12: ${left}.`, 'The job is paused: no new tasks start until it is resumed.'],
    'a paused job that is also blocked waits for both',
  );
  t.same(
    sentencesOf({ ...blocked({ status: 'running' }), job: jobRecord({ status: 'paused' }) }).length,
    1,
    'a job that no longer depends on its upstreams waits for none',
  );
  t.equal(
    summaryOf(blocked({ status: 'completed' })),
    'Pending. Nothing holds the task any longer: it becomes ready in a moment.',
  );
  t.end();
});

test('paused, parked and ended jobs, and paused queues', (t) => {
  const cases: readonly [Partial<TaskFacts>, readonly object[]][] = [
    [
      { job: jobRecord({ status: 'paused' }) },
      [
        {
          gate: 'paused_job',
          reason: 'job paused',
          sentence: 'The job is paused: no new tasks start until it is resumed.',
          parkReason: null,
          failedAttempts: 0,
        },
      ],
    ],
    [
      { job: jobRecord({ status: 'paused', parkReason: 'failure limit reached', failedAttempts: 10 }) },
      [
        {
          gate: 'paused_job',
          reason: 'job parked',
          sentence:
            'The job was parked after 10 failures: failure limit reached; resume or retry it to continue.',
          parkReason: 'failure limit reached',
          failedAttempts: 10,
        },
      ],
    ],
    [
      { lease: leaseExplanation({ isQueuePaused: true }) },
      [
        {
          gate: 'paused_queue',
          reason: 'queue paused',
          sentence: 'The queue day is paused: no new tasks start until it is resumed.',
          queue: { id: 'day', name: 'day' },
        },
      ],
    ],
    [
      { step: { ...taskFacts({}).step, hold: { by: 'ann', reason: 'wait for plates', at: NOW } } },
      [
        {
          gate: 'held_step',
          reason: 'step held',
          sentence: `The step ${taskFacts({}).step.name} is held by ann (wait for plates): no new tasks start until it is released.`,
          step: {
            id: stepIdOf(taskFacts({}).step.jobId, taskFacts({}).step.order),
            name: taskFacts({}).step.name,
          },
        },
      ],
    ],
    [
      { job: jobRecord({ startAfter: NOW + 90_000 }) },
      [
        {
          gate: 'start_after',
          reason: 'start time not reached',
          sentence: `No task of the job starts before ${clockText(NOW + 90_000, NOW)}, in 1 min 30 s.`,
          until: NOW + 90_000,
        },
      ],
    ],
    [{ isQueuePaused: true }, []],
    [
      { job: jobRecord({ status: 'canceled', cancelReason: 'canceled: upstream job failed' }) },
      [
        {
          gate: 'job',
          reason: 'job canceled',
          sentence: 'The job Shot 010 was canceled (canceled: upstream job failed).',
          status: 'canceled',
        },
      ],
    ],
    [
      { job: jobRecord({ status: 'failed' }) },
      [{ gate: 'job', reason: 'job failed', sentence: 'The job Shot 010 has failed.', status: 'failed' }],
    ],
    [
      { job: jobRecord({ status: 'completed' }) },
      [
        {
          gate: 'job',
          reason: 'job completed',
          sentence: 'The job Shot 010 is completed.',
          status: 'completed',
        },
      ],
    ],
  ];
  for (const [changes, gates] of cases) {
    const idle = { workers: { withRoom: 14 } };
    const lease = changes.lease ?? leaseExplanation(idle);
    const found = explainTask(taskFacts({ ...changes, lease })).gates;
    t.same(
      found.filter((gate) => gate.gate !== 'cores'),
      gates,
    );
  }
  t.equal(
    summaryOf({ isQueuePaused: true, lease: null }),
    'The queue day is paused: no new tasks start until it is resumed; besides, its state in the scheduler is unknown at the moment.',
    'without the scheduler, the pause of a queue is taken from the store',
  );
  t.end();
});

test('retry back-off', (t) => {
  const until = NOW + 42_000;
  const held = { retryAfter: until, updatedAt: NOW - 1000 };
  const failed = attempt({ status: 'failed', exitCode: 3, workerId: workerId('render-017') });
  const idle = { heldUntil: until, workers: { withRoom: 14 } };
  t.same(
    explainTask(
      taskFacts({
        task: taskState({ ...held, failedAttempts: 1, attemptNumber: 1 }),
        attempt: failed,
        lease: leaseExplanation(idle),
      }),
    ).gates,
    [
      {
        gate: 'retry_after',
        reason: 'retry back-off',
        sentence:
          'Held back until 10:00:42 UTC, for 42 s more: 1 of 3 attempts has failed, the last on render-017 (exit 3).',
        until,
        failedAttempts: 1,
        maxAttempts: 3,
      },
    ],
  );
  const { exitCode: _none, ...lost } = failed;
  const cases: readonly [Partial<TaskFacts>, string][] = [
    [
      {
        task: taskState({ ...held, failedAttempts: 2 }),
        attempt: { ...lost, message: 'no license' },
      },
      'Held back until 10:00:42 UTC, for 42 s more: 2 of 3 attempts have failed, the last on render-017 (no license).',
    ],
    [
      { task: taskState({ ...held, failedAttempts: 2 }), attempt: lost },
      'Held back until 10:00:42 UTC, for 42 s more: 2 of 3 attempts have failed, the last on render-017.',
    ],
    [
      { task: taskState({ ...held, failedAttempts: 1 }) },
      'Held back until 10:00:42 UTC, for 42 s more: 1 of 3 attempts has failed.',
    ],
    [{ task: taskState(held) }, 'Held back until 10:00:42 UTC, for 42 s more.'],
  ];
  for (const [changes, sentence] of cases) {
    t.equal(summaryOf({ ...changes, lease: leaseExplanation(idle) }), sentence);
    t.equal(sentencesOf({ ...changes, lease: null })[0], sentence, 'it is stored too');
  }
  t.same(
    sentencesOf({
      task: taskState(held),
      lease: leaseExplanation({ workers: { withRoom: 1 } }),
    }),
    [],
    'the scheduler overrides the store',
  );
  t.same(
    sentencesOf({ task: taskState({ ...held, updatedAt: NOW + 1 }), lease: null }).length,
    1,
    'a retry time from before the clock was set back is ignored',
  );
  t.end();
});

const holder = (job: string, stepOrder: number, live: number) => ({ jobId: jobId(job), stepOrder, live });

test('caps of farm and queue, with their holders', (t) => {
  const cap = {
    maxConcurrentTasks: 40,
    live: 40,
    holders: [holder('shot-020', 1, 8), { jobId: JOB, stepOrder: 0, live: 29 }],
  };
  const shares = [
    {
      farm: { id: 'north', name: 'north' },
      job: { id: JOB, name: JOB },
      step: { id: `${JOB}-0`, name: 'S1' },
      live: 29,
    },
    {
      farm: { id: 'north', name: 'north' },
      job: { id: 'shot-020', name: 'shot-020' },
      step: { id: 'shot-020-1', name: 'S2' },
      live: 8,
    },
  ];
  const sentence =
    'Queue day is at its cap of 40 concurrent tasks; this job (S1) holds 29, job shot-020 (S2) 8 and others 3.';
  t.same(explainTask(taskFacts({ lease: leaseExplanation({ queueCap: cap }) })).gates[0], {
    gate: 'queue_cap',
    reason: 'queue at max_concurrent_tasks',
    sentence,
    queue: { id: 'day', name: 'day' },
    limit: 40,
    live: 40,
    holders: shares,
  });
  t.equal(summaryOf({ lease: leaseExplanation({ queueCap: cap }) }), sentence);
  t.same(
    explainTask(taskFacts({ lease: leaseExplanation({ farmCap: { ...cap, live: 41, holders: [] } }) }))
      .gates[0],
    {
      gate: 'farm_cap',
      reason: 'farm at max_concurrent_tasks',
      sentence: 'Farm north is at its cap of 40 concurrent tasks, with 41 live.',
      limit: 40,
      live: 41,
      holders: [],
    },
  );
  t.equal(
    summaryOf({
      lease: leaseExplanation({
        farmCap: { maxConcurrentTasks: 1, live: 1, holders: [holder('shot-020', 1, 1)] },
        queueCap: cap,
      }),
    }),
    'Farm north is at its cap of 1 concurrent task; job shot-020 (S2) holds 1; besides, queue day is at its cap.',
  );
  const open = [
    { maxConcurrentTasks: 0, live: 40 },
    { maxConcurrentTasks: 41, live: 40 },
  ];
  for (const { maxConcurrentTasks, live } of open) {
    const free = { maxConcurrentTasks, live, holders: [] };
    const lease = leaseExplanation({ farmCap: free, queueCap: free, workers: { withRoom: 1 } });
    t.same(sentencesOf({ lease }), [], `${live} of ${maxConcurrentTasks}`);
  }
  t.same(
    sentencesOf({
      ...after({ status: 'running', taskCounts: UNFINISHED }),
      lease: leaseExplanation({ farmCap: cap, queueCap: cap }),
    }).length,
    1,
    'caps of a pending task are omitted because they can change before it is ready',
  );
  const many = Array.from({ length: 12 }, (_, index) => holder(`j${index}`, 0, index));
  const [gate] = explainTask(
    taskFacts({ lease: leaseExplanation({ farmCap: { maxConcurrentTasks: 66, live: 66, holders: many } }) }),
  ).gates;
  t.same(
    gate?.gate === 'farm_cap' && gate.holders.map((share) => share.live),
    [11, 10, 9, 8, 7, 6, 5, 4, 3, 2],
    'the ten largest holders',
  );
  t.end();
});

test('usage pools: at capacity, with holders of all farms, and not registered', (t) => {
  const pool = { name: 'houdini', maxConcurrent: 5, inUse: 5, holders: [holder('shot-020', 0, 1)] };
  const elsewhere = new Map([['houdini', [{ ...holder('shot-900', 1, 3), farmId: farmId('south') }]]]);
  const lease = leaseExplanation({ pools: [pool], workers: { withRoom: 3 } });
  const sentence =
    'Usage pool houdini is at capacity: 5 of 5 slots are taken; job shot-900 (S2) of farm south holds 3, job shot-020 (S1) 1 and others 1.';
  t.same(explainTask(taskFacts({ lease, elsewhere })), {
    summary: sentence,
    gates: [
      {
        gate: 'usage_pool',
        reason: 'usage pool at capacity',
        sentence,
        pool: 'houdini',
        isRegistered: true,
        limit: 5,
        live: 5,
        holders: [
          {
            farm: { id: 'south', name: 'south' },
            job: { id: 'shot-900', name: 'shot-900' },
            step: { id: 'shot-900-1', name: 'S2' },
            live: 3,
          },
          {
            farm: { id: 'north', name: 'north' },
            job: { id: 'shot-020', name: 'shot-020' },
            step: { id: 'shot-020-0', name: 'S1' },
            live: 1,
          },
        ],
      },
    ],
    position: { tasks: 0, jobs: 0 },
    workers: {
      online: 14,
      elsewhere: 0,
      eligible: 14,
      withRoom: 3,
      rejected: [],
      reserved: null,
      avoided: [],
    },
  });
  t.equal(
    summaryOf({ lease: leaseExplanation({ pools: [{ ...pool, maxConcurrent: 1, inUse: 1, holders: [] }] }) }),
    'Usage pool houdini is at capacity: 1 of 1 slot is taken.',
  );
  const at = taskFacts({ lease }).now - 20_000;
  t.match(
    explainTask(
      taskFacts({
        lease: leaseExplanation({
          pools: [{ ...pool, inUse: 5, holders: [], measured: { maxConcurrent: 12, at } }],
        }),
      }),
    ).gates[0],
    {
      sentence:
        'Usage pool houdini is at capacity: 5 of 5 slots are taken (others use the rest of its 12, as measured 20 s ago).',
      limit: 5,
      measured: { maxConcurrent: 12, at },
    },
  );
  const absent = { name: 'nuke', maxConcurrent: null, inUse: 0, holders: [] };
  const unregistered =
    'Usage pool nuke is not registered and has no slots: the task cannot start before it is.';
  t.same(explainTask(taskFacts({ lease: leaseExplanation({ pools: [absent] }) })).gates[0], {
    gate: 'usage_pool',
    reason: 'usage pool at capacity',
    sentence: unregistered,
    pool: 'nuke',
    isRegistered: false,
    limit: 0,
    live: 0,
    holders: [],
  });
  t.equal(
    summaryOf({ lease: leaseExplanation({ pools: [pool, absent] }) }),
    'Usage pool nuke is not registered and has no slots: the task cannot start before it is; besides, usage pool houdini is at capacity.',
    'gates that need an action come first',
  );
  t.same(
    sentencesOf({
      ...after({ status: 'running', taskCounts: UNFINISHED }),
      lease: leaseExplanation({ pools: [pool, absent] }),
    }),
    ['Waits for step Simulate: 37 of 120 tasks left, 12 running, 2 failed.', unregistered],
    'a pending task has only gates that require an action',
  );
  t.same(
    sentencesOf({
      lease: leaseExplanation({ pools: [{ ...pool, inUse: 4 }], workers: { withRoom: 1 } }),
    }),
    [],
  );
  t.end();
});

const GPU = 'attr.worker.tag.gpu';
const gpu = (requirement: Partial<AttributeRequirement>, offered: string | null) =>
  ({ reason: 'attribute requirement not met', requirement: { name: GPU, ...requirement }, offered }) as const;

type Workers = Partial<LeaseExplanation['workers']>;
const rejected = (
  reason: Exclude<IneligibleReason, UnmetRequirementReason>,
  workers: number,
): RejectedWorkers => ({ reason, workers });
const unmet = (reason: UnmetRequirementReason, workers: number, requirement: string): RejectedWorkers => ({
  reason,
  requirement,
  workers,
});
const nearest = (
  ineligibility: NonNullable<LeaseExplanation['workers']['nearestMiss']>['ineligibility'],
) => ({
  nearestMiss: { workerId: workerId('render-017'), ineligibility },
});

test('no worker can run it', (t) => {
  const workers: Workers = {
    online: 200,
    eligible: 0,
    rejected: [unmet('attribute requirement not met', 200, GPU)],
    ...nearest(gpu({ anyOf: ['a5000'] }, 'a4000')),
  };
  const sentence =
    'No worker can run it: 200 workers fail attr.worker.tag.gpu; the nearest, render-017, has a4000 where a5000 is wanted.';
  t.same(explainTask(taskFacts({ lease: leaseExplanation({ workers }) })), {
    summary: sentence,
    gates: [
      {
        gate: 'workers',
        reason: 'attribute requirement not met',
        sentence,
        online: 200,
        elsewhere: 0,
        rejected: [{ reason: 'attribute requirement not met', requirement: GPU, workers: 200 }],
        nearestMiss: {
          worker: { id: 'render-017', name: 'render-017' },
          reason: 'attribute requirement not met',
          requirement: GPU,
          wanted: 'a5000',
          offered: 'a4000',
        },
      },
    ],
    position: null,
    workers: {
      online: 200,
      elsewhere: 0,
      eligible: 0,
      withRoom: 0,
      rejected: [{ reason: 'attribute requirement not met', requirement: GPU, workers: 200 }],
      reserved: null,
      avoided: [],
    },
  });
  t.equal(
    summaryOf({
      ...after({ status: 'running', taskCounts: UNFINISHED }),
      lease: leaseExplanation({ workers }),
    }),
    'Waits for step Simulate: 37 of 120 tasks left, 12 running, 2 failed; besides, no worker online could run it.',
    'it is reported while the task is pending',
  );
  t.end();
});

test('no worker can run it: each reason', (t) => {
  const attribute = unmet('attribute requirement not met', 1, GPU);
  const one = (miss: Workers): Workers => ({ online: 1, eligible: 0, rejected: [attribute], ...miss });
  const failsGpu = 'No worker can run it: 1 worker fails attr.worker.tag.gpu; the nearest, render-017,';
  const memory = (min?: number, max?: number): Workers => ({
    online: 5,
    eligible: 0,
    rejected: [unmet('amount requirement not met', 5, 'amount.worker.memory')],
    ...nearest({
      reason: 'amount requirement not met',
      requirement: {
        name: 'amount.worker.memory',
        ...(min !== undefined && { min }),
        ...(max !== undefined && { max }),
      },
      offered: 16_384,
    }),
  });
  const failsMemory = 'No worker can run it: 5 workers fail amount.worker.memory; the nearest, render-017,';
  const queues = (...ids: readonly string[]): Workers => ({
    online: 2,
    eligible: 0,
    rejected: [rejected('queue affinity', 2)],
    ...nearest({ reason: 'queue affinity', queueIds: ids.map(queueId) }),
  });
  const location = (offered: string | null): Workers => ({
    online: 1,
    eligible: 0,
    rejected: [rejected('compute location mismatch', 1)],
    ...nearest({ reason: 'compute location mismatch', wanted: 'berlin', offered }),
  });
  const TIGHTER = "the worker's advertised expression limits are tighter than the server's";
  const tighter = (workers: number): Workers => ({
    online: workers,
    eligible: 0,
    rejected: [rejected(TIGHTER, workers)],
    ...nearest({ reason: TIGHTER, shortfall: { granted: 500_000, wanted: 1_000_000 } }),
  });
  const cases: readonly [Workers, string, string][] = [
    [{ online: 0, elsewhere: 0, eligible: 0 }, 'no online workers', 'No worker is online.'],
    [
      { online: 0, elsewhere: 12, eligible: 0 },
      'farm mismatch',
      'No worker of farm north is online; 12 workers of other farms are, and do not serve it.',
    ],
    [
      { online: 0, elsewhere: 1, eligible: 0 },
      'farm mismatch',
      'No worker of farm north is online; 1 worker of other farms is, and does not serve it.',
    ],
    [
      queues('night'),
      'queue affinity',
      'No worker can run it: 2 workers serve other queues; the nearest, render-017, serves night where day is wanted.',
    ],
    [
      queues('a', 'b', 'c', 'd', 'e'),
      'queue affinity',
      'No worker can run it: 2 workers serve other queues; the nearest, render-017, serves a, b, c and 2 more where day is wanted.',
    ],
    [
      location('paris'),
      'compute location mismatch',
      'No worker can run it: 1 worker is not at berlin; the nearest, render-017, is at paris.',
    ],
    [
      location(null),
      'compute location mismatch',
      'No worker can run it: 1 worker is not at berlin; the nearest, render-017, reports no compute location.',
    ],
    [
      memory(32_768),
      'amount requirement not met',
      `${failsMemory} has 16,384 where at least 32,768 is wanted.`,
    ],
    [
      memory(undefined, 8192),
      'amount requirement not met',
      `${failsMemory} has 16,384 where at most 8,192 is wanted.`,
    ],
    [
      memory(1024, 8192),
      'amount requirement not met',
      `${failsMemory} has 16,384 where 1,024 to 8,192 is wanted.`,
    ],
    [
      one(nearest(gpu({ anyOf: ['a', 'b', 'c', 'd', 'e'] }, 'x'))),
      'attribute requirement not met',
      `${failsGpu} has x where a, b, c or 2 more is wanted.`,
    ],
    [
      one(nearest(gpu({ anyOf: ['a', 'b'], allOf: ['c'] }, 'x'))),
      'attribute requirement not met',
      `${failsGpu} has x where a or b and also c is wanted.`,
    ],
    [
      one(nearest(gpu({}, 'x'))),
      'attribute requirement not met',
      `${failsGpu} has x where any value is wanted.`,
    ],
    [
      one(nearest(gpu({ allOf: ['a', 'b'] }, null))),
      'attribute requirement not met',
      `${failsGpu} has none where a and b is wanted.`,
    ],
    [
      {
        online: 219,
        eligible: 0,
        rejected: [rejected('queue affinity', 14), unmet('attribute requirement not met', 205, GPU)],
        ...nearest(gpu({ anyOf: ['a5000'], allOf: ['a5000'] }, 'a4000')),
      },
      'attribute requirement not met',
      'No worker can run it: 205 workers fail attr.worker.tag.gpu and 14 workers serve other queues; the nearest, render-017, has attr.worker.tag.gpu a4000 where a5000 is wanted.',
    ],
    [
      {
        online: 2,
        eligible: 0,
        rejected: [rejected('queue affinity', 1), attribute],
        ...nearest(gpu({ anyOf: ['a5000'] }, null)),
      },
      'attribute requirement not met',
      'No worker can run it: 1 worker serves other queues and 1 worker fails attr.worker.tag.gpu; the nearest, render-017, has no attr.worker.tag.gpu where a5000 is wanted.',
    ],
    [
      tighter(1),
      TIGHTER,
      'No worker can run it: 1 worker has tighter expression limits than the server; the nearest, render-017, grants an expression 500,000 bytes where the server grants 1,000,000 bytes.',
    ],
    [
      tighter(3),
      TIGHTER,
      'No worker can run it: 3 workers have tighter expression limits than the server; the nearest, render-017, grants an expression 500,000 bytes where the server grants 1,000,000 bytes.',
    ],
    [
      { online: 1, eligible: 0, rejected: [attribute] },
      'attribute requirement not met',
      'No worker can run it: 1 worker fails attr.worker.tag.gpu.',
    ],
  ];
  for (const [workers, reason, sentence] of cases) {
    const { summary, gates } = explainTask(
      taskFacts({
        requirements: requirements({ computeLocation: 'berlin' }),
        lease: leaseExplanation({ workers }),
      }),
    );
    t.same([summary, gates.map((gate) => gate.reason)], [sentence, [reason]]);
  }
  t.end();
});

test('position in the queue: next, or behind others, with or without free workers', (t) => {
  const cases: readonly [LeaseExplanation, Partial<TaskFacts>, string, readonly string[]][] = [
    [
      leaseExplanation(),
      {},
      'Ready, and next in line: 14 of 14 eligible workers are busy.',
      ['14 of 14 eligible workers are busy; it reserves 2 cores.'],
    ],
    [
      leaseExplanation({ workers: { eligible: 1 } }),
      { requirements: requirements({ cores: 0.5 }) },
      'Ready, and next in line: the only eligible worker is busy.',
      ['The only eligible worker is busy; it reserves 1 core.'],
    ],
    [
      leaseExplanation(),
      { requirements: requirements({ cores: null }) },
      'Ready, and next in line: 14 of 14 eligible workers are busy; it reserves a whole machine.',
      [
        '14 of 14 eligible workers are busy; it reserves a whole machine, because its step declares no amount.worker.vcpu.',
      ],
    ],
    [
      leaseExplanation({ before: { tasks: 1204, jobs: 3 }, workers: { online: 5000, eligible: 4000 } }),
      {},
      'Ready, behind 1,204 tasks and 3 other jobs: 4,000 of 4,000 eligible workers are busy.',
      [
        '4,000 of 4,000 eligible workers are busy; it reserves 2 cores.',
        '1,204 tasks and 3 other jobs are ahead of it.',
      ],
    ],
    [
      leaseExplanation({ workers: { eligible: 1, keptForOthers: 1 } }),
      {},
      'Ready, and next in line: the only eligible worker is kept free for a task that was overtaken.',
      ['The only eligible worker is kept free for a task that was overtaken; it reserves 2 cores.'],
    ],
    [
      leaseExplanation({ workers: { keptForOthers: 2 } }),
      {},
      'Ready, and next in line: 14 of 14 eligible workers are busy, or kept free for tasks that were overtaken (2).',
      [
        '14 of 14 eligible workers are busy, or kept free for tasks that were overtaken (2); it reserves 2 cores.',
      ],
    ],
    [
      leaseExplanation({ before: { tasks: 1, jobs: 0 }, workers: { withRoom: 3 } }),
      {},
      'Ready, behind 1 task of its own job: 3 of 14 eligible workers have room.',
      ['1 task of its own job is ahead of it.'],
    ],
    [
      leaseExplanation({ workers: { withRoom: 1 } }),
      {},
      'Ready, and next in line: 1 of 14 eligible workers has room.',
      [],
    ],
    [
      leaseExplanation({ workers: { eligible: 1, withRoom: 1 } }),
      {},
      'Ready, and next in line: the only eligible worker has room.',
      [],
    ],
    [
      leaseExplanation({
        reservedWorker: workerId('render-004'),
        workers: { avoided: [workerId('render-017')] },
      }),
      {},
      'Ready, and next in line: 14 of 14 eligible workers are busy; render-004 is kept free for its step; render-017, where it has failed, is skipped.',
      ['14 of 14 eligible workers are busy; it reserves 2 cores.'],
    ],
    [
      leaseExplanation({ workers: { avoided: ['a', 'b', 'c', 'd'].map(workerId), withRoom: 2 } }),
      {},
      'Ready, and next in line: 2 of 14 eligible workers have room; a, b, c and 1 more, where it has failed, are skipped.',
      [],
    ],
    [
      leaseExplanation({ isOffered: false, workers: { withRoom: 2 } }),
      {},
      'The scheduler is queueing or assigning the task right now. Check again in a moment.',
      ['The scheduler is queueing or assigning the task right now. Check again in a moment.'],
    ],
  ];
  for (const [lease, changes, summary, sentences] of cases) {
    const found = explainTask(taskFacts({ ...changes, lease }));
    t.same(
      [found.summary, found.gates.map((gate) => gate.sentence), found.position],
      [summary, sentences, lease.isOffered ? lease.before : null],
    );
    t.same(
      found.workers?.avoided.map(({ id }) => id),
      lease.workers.avoided,
    );
    t.equal(found.workers?.reserved?.id ?? null, lease.reservedWorker);
  }
  t.end();
});

test('no response of the scheduler', (t) => {
  t.same(explainTask(taskFacts({ lease: null })), {
    summary: 'The scheduler does not answer: the workers that can run the task are unknown at the moment.',
    gates: [
      {
        gate: 'scheduler',
        reason: 'scheduler not answering',
        sentence:
          'The scheduler does not answer: the workers that can run the task are unknown at the moment.',
      },
    ],
    position: null,
    workers: null,
  });
  t.equal(
    summaryOf({ ...after({ status: 'running', taskCounts: UNFINISHED }), lease: null }),
    'Waits for step Simulate: 37 of 120 tasks left, 12 running, 2 failed.',
    'a pending task does not need the scheduler',
  );
  t.end();
});

test('all gates at once: every one is listed, in order, and the most important one leads the summary', (t) => {
  const cap = { maxConcurrentTasks: 1, live: 1, holders: [] };
  const lease = leaseExplanation({
    isQueuePaused: true,
    heldUntil: NOW + 10_000,
    farmCap: cap,
    queueCap: cap,
    pools: [{ name: 'nuke', maxConcurrent: null, inUse: 0, holders: [] }],
    before: { tasks: 2, jobs: 1 },
    workers: { online: 0, eligible: 0 },
  });
  t.same(
    sentencesOf({ lease: leaseExplanation({ before: { tasks: 2, jobs: 1 }, workers: { eligible: 1 } }) }),
    ['The only eligible worker is busy; it reserves 2 cores.', '2 tasks and 1 other job are ahead of it.'],
    'of the worker gates there is either "no eligible worker", or "no free worker" with the position',
  );
  const ready = explainTask(taskFacts({ job: jobRecord({ status: 'paused' }), lease }));
  t.same(
    ready.gates.map((gate) => gate.gate),
    ['paused_job', 'paused_queue', 'retry_after', 'farm_cap', 'queue_cap', 'usage_pool', 'workers'],
  );
  t.equal(
    ready.summary,
    'The job is paused: no new tasks start until it is resumed; besides, queue day is paused, usage pool nuke is not registered, no worker of its farm is online and 3 more.',
  );
  const pending = explainTask(
    taskFacts({
      ...after({ status: 'running', taskCounts: UNFINISHED }),
      job: jobRecord({ status: 'blocked' }),
      upstreamJobs: [{ id: SIM, record: jobRecord({ name: 'Sim v12', status: 'running' }) }],
      lease,
    }),
  );
  t.same(
    pending.gates.map((gate) => gate.gate),
    ['upstream_job', 'upstream_step', 'paused_queue', 'usage_pool', 'workers'],
  );
  t.equal(
    pending.summary,
    'Waits for job Sim v12: 1 of 1 task left, none running; besides, it waits for step Simulate, queue day is paused, usage pool nuke is not registered and 1 more.',
  );
  t.end();
});

test('a position that was not counted to the end is a lower bound', (t) => {
  const behind = (before: LeaseExplanation['before']): string =>
    summaryOf({ lease: leaseExplanation({ before: { ...before, isLowerBound: true } }) });
  t.match(behind({ tasks: 20_000, jobs: 9 }), /^Ready, behind at least 20,000 tasks and 9 other jobs: /);
  t.match(behind({ tasks: 1, jobs: 0 }), /^Ready, behind at least 1 task: /);
  t.match(behind({ tasks: 0, jobs: 0 }), /^Ready, behind other tasks: /);
  t.end();
});

test('a delay that has ended is not listed, even if the lease actor still has it', (t) => {
  for (const [heldUntil, gates] of [
    [NOW + 1, ['retry_after']],
    [NOW, []],
    [NOW - 1, []],
  ] as const) {
    const lease = leaseExplanation({ heldUntil, workers: { withRoom: 14 } });
    const explained = explainTask(taskFacts({ task: taskState({ failedAttempts: 1 }), lease }));
    t.same(
      explained.gates.map(({ gate }) => gate).filter((gate) => gate === 'retry_after'),
      gates,
      `until ${heldUntil - NOW} ms from now`,
    );
  }
  t.end();
});

test('an attempt that was taken back is not named as a failure', (t) => {
  const now = NOW;
  const held = {
    task: taskState({ failedAttempts: 1, attemptNumber: 2, retryAfter: now + 42_000 }),
    attempt: attempt({ attemptNumber: 2, status: 'failed', message: 'worker went offline', reclaimed: true }),
    lease: leaseExplanation({ heldUntil: now + 42_000 }),
  };
  t.match(sentencesOf(held)[0], /for 42 s more: 1 of 3 attempts has failed\.$/);
  t.end();
});

test('explains a task for which too little of a booked amount is free', (t) => {
  const short = [
    { name: 'amount.worker.memory', needed: 65_536, mostFree: 12_288, workers: 12 },
    { name: 'amount.worker.vcpu', needed: 2, mostFree: 1, workers: 3 },
    { name: 'amount.worker.gpu', needed: 1, mostFree: 0, workers: 1 },
  ];
  const both = explainTask(taskFacts({ lease: leaseExplanation({ workers: { short } }) }));
  t.strictSame(
    both.gates.map(({ gate }) => gate),
    ['cores', 'amounts'],
  );
  const amounts =
    '12 have too little amount.worker.memory free (it takes 65,536, at most 12,288 is free) and 1 has too little amount.worker.gpu free (it takes 1, at most 0 is free)';
  t.match(both.gates[1], {
    gate: 'amounts',
    reason: 'no free amounts',
    sentence: `14 of 14 eligible workers are busy: ${amounts}.`,
    short: [{ name: 'amount.worker.memory' }, { name: 'amount.worker.gpu' }],
    eligible: 14,
  });
  t.equal(both.summary, `Ready, and next in line: 14 of 14 eligible workers are busy; ${amounts}.`);
  const [memory] = short;
  const only = explainTask(
    taskFacts({ lease: leaseExplanation({ workers: { short: memory === undefined ? [] : [memory] } }) }),
  );
  t.strictSame(
    only.gates.map(({ gate }) => gate),
    ['amounts'],
    'cores are free',
  );
  const room = explainTask(taskFacts({ lease: leaseExplanation({ workers: { short, withRoom: 2 } }) }));
  t.strictSame(room.gates, []);
  t.end();
});

test('caps of the job and of the step', (t) => {
  const cap = { maxConcurrentTasks: 2, live: 2, holders: [holder('shot-010', 1, 2)] };
  const free = { maxConcurrentTasks: 3, live: 2, holders: [] };
  const both = taskFacts({
    lease: leaseExplanation({ jobCap: cap, stepCap: cap, workers: { withRoom: 1 } }),
  });
  const { gates, summary } = explainTask(both);
  t.match(gates, [
    { gate: 'job_cap', reason: 'job at max_concurrent_tasks', limit: 2, live: 2 },
    { gate: 'step_cap', reason: 'step at max_concurrent_tasks', limit: 2, live: 2 },
  ]);
  t.match(gates[0]?.sentence, /^The job is at its cap of 2 concurrent tasks; .* holds 2\.$/);
  t.match(gates[1]?.sentence, /^Step \w+ is at its cap of 2 concurrent tasks\.$/);
  t.match(summary, /^The job is at its cap of 2 concurrent tasks; .*; besides, step \w+ is at its cap\.$/);
  const none = leaseExplanation({ jobCap: free, stepCap: free, workers: { withRoom: 1 } });
  t.strictSame(explainTask(taskFacts({ lease: none })).gates, []);
  t.end();
});

test('caps of the owner and of the project', (t) => {
  const cap = { maxConcurrentTasks: 2, live: 2, holders: [holder('shot-010', 1, 2)] };
  const free = { maxConcurrentTasks: 3, live: 2, holders: [] };
  const facts = taskFacts({
    lease: leaseExplanation({
      groupCaps: [
        { ...cap, by: 'project', name: '', queueId: null },
        { ...cap, by: 'owner', name: 'ana', queueId: QUEUE },
        { ...free, by: 'owner', name: 'ana', queueId: null },
      ],
      workers: { withRoom: 1 },
    }),
  });
  const { gates, summary } = explainTask(facts);
  t.match(gates, [
    { gate: 'owner_cap', reason: 'owner at cap', owner: 'ana', queue: { id: QUEUE }, limit: 2, live: 2 },
    { gate: 'project_cap', reason: 'project at cap', project: '', limit: 2, live: 2 },
  ]);
  t.match(gates[0]?.sentence, /^Owner ana in queue \S+ is at its cap of 2 concurrent tasks; .* holds 2\.$/);
  t.match(
    gates[1]?.sentence,
    /^The group of jobs without a project in the farm is at its cap of 2 concurrent tasks/,
  );
  t.match(summary, /^Owner ana in queue .*; besides, its project is at a cap\.$/);
  t.end();
});

test('pools that count amounts or hosts', (t) => {
  const pool = { name: 'nuke', maxConcurrent: 5, inUse: 4, holders: [holder('shot-020', 1, 2)] };
  const gateOf = (some: Partial<LeaseExplanation['pools'][number]>) =>
    explainTask(
      taskFacts({ lease: leaseExplanation({ pools: [{ ...pool, ...some }], workers: { withRoom: 1 } }) }),
    ).gates[0];
  t.equal(gateOf({ counts: 'amounts', needed: 1 }), undefined);
  t.equal(
    gateOf({ counts: 'amounts', needed: 2 })?.sentence,
    'Usage pool nuke is at capacity: 4 of 5 slots are taken, and the task takes 2.',
  );
  t.equal(
    gateOf({ counts: 'amounts', needed: 6 })?.sentence,
    'Usage pool nuke is at capacity: 4 of 5 slots are taken, and the task takes 6, more than the pool has.',
  );
  t.equal(
    gateOf({ counts: 'hosts', inUse: 5 })?.sentence,
    'Usage pool nuke is at capacity: 5 of 5 slots are taken, one by each machine with such tasks.',
  );
  t.end();
});

test('a task that was taken back, and a task for which tasks are taken back, say why', (t) => {
  const preemption = {
    jobId: SIM,
    stepOrder: 0,
    queueId: queueId('urgent'),
    queue: 'urgent',
    waitedMs: 300_000,
    afterSeconds: 300,
    policyVersion: 7,
  };
  const taken = attempt({ status: 'canceled', preemption });
  const why = 'taken back for queue urgent, of which a task had waited 5 min (preemption setting 7)';
  t.equal(
    summaryOf({ task: taskState({ status: 'pending', exiting: true, attemptNumber: 1 }), attempt: taken }),
    `Waits until render-004 has confirmed that its attempt has ended, which was ${why}.`,
  );
  t.match(
    summaryOf({ task: taskState({ attemptNumber: 1 }), attempt: taken }),
    `its last attempt, on render-004, was ${why}`,
  );
  const waiting = (waitedMs: number, isUnderway = false): string =>
    summaryOf({
      lease: leaseExplanation({
        preemption: { afterMs: 300_000, waitsSince: NOW - waitedMs, isUnderway, version: 2 },
        reservedWorker: isUnderway ? workerId('render-004') : null,
      }),
    });
  t.match(
    waiting(60_000),
    /queue day takes back running tasks for its step in 4 min \(preemption setting 2\)\.$/,
  );
  t.match(
    waiting(400_000),
    /queue day may take back running tasks for its step \(preemption setting 2\), but none that would make room\.$/,
  );
  t.match(
    waiting(400_000, true),
    /render-004 is kept free for its step; queue day has taken back running tasks there \(preemption setting 2\)\.$/,
  );
  t.notMatch(
    summaryOf({
      lease: leaseExplanation({
        preemption: { afterMs: 300_000, waitsSince: NOW, isUnderway: false, version: 2 },
        workers: { withRoom: 1 },
      }),
    }),
    /takes back/,
  );
  t.end();
});
