import fc from 'fast-check';
import { test } from 'tap';
import { explainTask } from '../../../src/core/explain/explain-task.ts';
import { GATES } from '../../../src/core/explain/task-explanation.ts';
import type { TaskFacts } from '../../../src/core/explain/task-facts.ts';
import { farmId, jobId, queueId, workerId, type JobId } from '../../../src/core/ids.ts';
import { TIGHTER_EXPR_LIMITS, type Ineligibility } from '../../../src/core/lease/eligibility.ts';
import type { Holder, LeaseExplanation, RejectedWorkers } from '../../../src/core/lease/explanation.ts';
import { JOB_STATUSES } from '../../../src/core/lifecycle/job-transitions.ts';
import type { TaskCounts } from '../../../src/core/lifecycle/task-counts.ts';
import { TASK_STATUSES } from '../../../src/core/lifecycle/task-transitions.ts';
import type { StepRecord } from '../../../src/core/records/step.ts';
import { attempt, jobRecord, NOW, stepRecord, taskFacts, taskState } from '../../kit/explain-parts.ts';
import { requirements } from '../../kit/lease-parts.ts';
import { rounds } from '../../kit/rounds.ts';

/** Arbitrary facts, consistent or not. */
const number = fc.nat(6000);
const name = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme', maxLength: 10 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 300, size: 'max' }) },
);
const time = fc.integer({ min: 0, max: 2 * NOW });
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

const counts: fc.Arbitrary<TaskCounts> = fc.record({
  total: number,
  pending: number,
  ready: number,
  assigned: number,
  running: number,
  succeeded: number,
  failed: number,
  canceled: number,
  unschedulable: number,
});
const holder: fc.Arbitrary<Holder> = fc.record({ jobId: name.map(jobId), stepOrder: number, live: number });
const holders = fc.array(holder, { maxLength: 15, size: 'max' });
const cap = fc.record({ maxConcurrentTasks: fc.nat(50), live: fc.nat(50), holders });
const values = fc.array(name, { maxLength: 6 });

const ineligibility: fc.Arbitrary<Ineligibility> = fc.oneof(
  fc.record({ reason: fc.constant('queue affinity' as const), queueIds: fc.array(name.map(queueId)) }),
  fc.record({
    reason: fc.constant('compute location mismatch' as const),
    wanted: name,
    offered: fc.option(name),
  }),
  fc
    .record({ name, min: optional(fc.double()), max: optional(fc.double()), offered: fc.double() })
    .map(({ name, min, max, offered }): Ineligibility => ({
      reason: 'amount requirement not met',
      requirement: { name, ...(min !== undefined && { min }), ...(max !== undefined && { max }) },
      offered,
    })),
  fc
    .record({ name, anyOf: optional(values), allOf: optional(values), offered: fc.option(name) })
    .map(({ name, anyOf, allOf, offered }): Ineligibility => ({
      reason: 'attribute requirement not met',
      requirement: {
        name,
        ...(anyOf !== undefined && { anyOf }),
        ...(allOf !== undefined && { allOf }),
      },
      offered,
    })),
  fc.record({
    reason: fc.constant(TIGHTER_EXPR_LIMITS),
    shortfall: fc.record({ granted: fc.nat(), wanted: fc.nat() }),
  }),
);

const rejected: fc.Arbitrary<RejectedWorkers> = fc.oneof(
  fc.record({
    reason: fc.constantFrom(
      'queue affinity' as const,
      'compute location mismatch' as const,
      TIGHTER_EXPR_LIMITS,
    ),
    workers: number,
  }),
  fc.record({
    reason: fc.constantFrom('amount requirement not met' as const, 'attribute requirement not met' as const),
    requirement: name,
    workers: number,
  }),
);

const lease: fc.Arbitrary<LeaseExplanation> = fc.record({
  isOffered: fc.boolean(),
  heldUntil: fc.option(time),
  farmCap: cap,
  queueCap: cap,
  isQueuePaused: fc.boolean(),
  pools: fc.array(
    fc.record({ name, maxConcurrent: fc.option(fc.integer({ min: 1, max: 4 })), inUse: fc.nat(4), holders }),
    { maxLength: 4 },
  ),
  workers: fc.record({
    online: number,
    elsewhere: number,
    eligible: fc.oneof(fc.constant(0), number),
    withRoom: fc.oneof(fc.constant(0), number),
    keptForOthers: fc.oneof(fc.constant(0), number),
    rejected: fc.array(rejected),
    nearestMiss: fc.option(fc.record({ workerId: name.map(workerId), ineligibility })),
    avoided: fc.array(name.map(workerId)),
  }),
  before: fc.record({ tasks: fc.oneof(fc.constant(0), number), jobs: number }),
  reservedWorker: fc.option(name.map(workerId)),
});

const job = fc
  .record({
    name,
    status: fc.constantFrom(...JOB_STATUSES),
    parkReason: fc.oneof(fc.constant(''), name),
    cancelReason: fc.oneof(fc.constant(''), name),
    waitsWhilePaused: fc.boolean(),
    failedAttempts: number,
    taskCounts: counts,
  })
  .map(jobRecord);

const steps: fc.Arbitrary<StepRecord[]> = fc
  .array(
    fc.record({
      status: fc.constantFrom('pending', 'ready', 'running', 'completed', 'failed', 'canceled'),
      dependsOn: fc.array(fc.nat(8), { maxLength: 6 }),
      taskCounts: counts,
    }),
    { minLength: 1, maxLength: 7 },
  )
  .map((all) => all.map((changes, order) => stepRecord(order, `Step ${order}`, changes)));

const facts: fc.Arbitrary<TaskFacts> = fc
  .record({
    job,
    steps,
    at: number,
    requirements: fc.record({
      cores: fc.option(fc.double({ min: 0, max: 128, noNaN: true })),
      computeLocation: name,
    }),
    status: fc.constantFrom(...TASK_STATUSES),
    failedAttempts: number,
    attemptNumber: number,
    retryAfter: fc.option(time),
    updatedAt: time,
    failureReason: fc.oneof(
      fc.constantFrom(
        null,
        'canceled by user',
        'canceled: upstream step failed',
        'canceled: upstream job failed',
      ),
      name,
    ),
    attempt: fc.option(
      fc
        .record({
          status: fc.constantFrom('running' as const, 'failed' as const, 'succeeded' as const),
          startedAt: time,
          endedAt: optional(time),
          message: name,
          exitCode: optional(fc.integer()),
        })
        .map(({ status, startedAt, endedAt, message, exitCode }) =>
          attempt({
            status,
            startedAt,
            message,
            ...(endedAt !== undefined && { endedAt }),
            ...(exitCode !== undefined && { exitCode }),
          }),
        ),
    ),
    upstreams: fc.array(fc.option(job), { maxLength: 5 }),
    isQueuePaused: fc.boolean(),
    lease: fc.option(lease),
    elsewhere: fc.array(holder, { maxLength: 5 }),
  })
  .map((parts) => {
    const step = parts.steps[parts.at % parts.steps.length] ?? stepRecord(0, 'Render');
    const { status, failedAttempts, attemptNumber, retryAfter, updatedAt } = parts;
    const south = parts.elsewhere.map((each) => ({ ...each, farmId: farmId('south') }));
    return taskFacts({
      job: parts.job,
      steps: parts.steps,
      step,
      requirements: requirements(parts.requirements),
      task: taskState({ status, failedAttempts, attemptNumber, retryAfter, updatedAt }),
      failureReason: parts.failureReason,
      attempt: parts.attempt,
      upstreamJobs: parts.upstreams.map((record, index): { id: JobId; record: typeof record } => ({
        id: jobId(`up-${index}`),
        record,
      })),
      isQueuePaused: parts.isQueuePaused,
      lease: parts.lease,
      elsewhere: new Map((parts.lease?.pools ?? []).map((pool) => [pool.name, south])),
    });
  });

const RUNS = { numRuns: rounds(1000, 3000) };
const isOver = (status: string): boolean => status !== 'pending' && status !== 'ready';

test('every combination of facts has an explanation', async (t) => {
  fc.assert(
    fc.property(facts, (given) => {
      const { summary, gates, position, workers } = explainTask(given);
      const { status } = given.task;
      for (const sentence of [summary, ...gates.map((gate) => gate.sentence)]) {
        if (!/^\P{Ll}[^]*[.!?…]$/u.test(sentence)) throw new Error(`not a sentence: ${sentence}`);
      }
      if (isOver(status) && (gates.length > 0 || position !== null || workers !== null)) {
        throw new Error('a live or ended task has no gate');
      }
      if (status === 'ready' && gates.length === 0 && position === null) {
        throw new Error('a ready task has a gate or a position');
      }
      if (status === 'ready' && gates.length === 0 && given.lease?.workers.withRoom === 0) {
        throw new Error('a ready task without free workers has a gate');
      }
      const places = gates.map((gate) => GATES.indexOf(gate.gate));
      if (places.some((place, index) => index > 0 && place < (places[index - 1] ?? 0))) {
        throw new Error('the gates are in order');
      }
    }),
    RUNS,
  );
  t.pass();
});

test('a pending task is explained without gates that can change before it is ready', async (t) => {
  const passing = ['retry_after', 'farm_cap', 'queue_cap', 'cores', 'order', 'scheduler'];
  fc.assert(
    fc.property(facts, (given) => {
      const { gates } = explainTask({ ...given, task: { ...given.task, status: 'pending' } });
      return gates.every(
        (gate) => !passing.includes(gate.gate) && !(gate.gate === 'usage_pool' && gate.isRegistered),
      );
    }),
    RUNS,
  );
  t.pass();
});
