import type { StepRequirements } from '../../src/openjd/template/plan.ts';
import { isDeepStrictEqual } from 'node:util';
import { toStepRecord } from '../../actors/service/job/mutable-step.ts';
import type { JobState } from '../../actors/service/job/state.ts';
import type { StepState } from '../../actors/service/job/step-state.ts';
import { parseAttemptId } from '../../src/core/ids.ts';
import { keys, taskOfTextKey } from '../../src/core/records/tables.ts';
import { orphanedRows } from '../kit/rows-of-job.ts';
import { mayRun } from './eligibility-oracle.ts';
import { needsOf } from './retry-rule-oracle.ts';
import type { FarmView, ServiceView } from './service-view.ts';
import { storedAttempt } from './stored-attempts.ts';
import { type Invariant, ofFarms, isTerminalStatus } from './invariant-frame.ts';

/** Retention deletes a job within one sweep period, which is a tenth of the retention time. */
const RETENTION_LATE = 1.2;

/** When all commits are durable, state equals the store (docs/architecture.md#a-turn). */
export const memoryEqualsStore: Invariant = {
  name: 'actors in memory equal their stored rows',
  check: (view) => {
    for (const { farm, jobs, workers } of view.farms) {
      if (!isDeepStrictEqual(view.store.get('farm', keys.farm(farm.record.id)), farm.record))
        return `farm ${farm.record.id}`;
      for (const queue of farm.queues.values()) {
        if (!isDeepStrictEqual(view.store.get('queue', keys.queue(queue.id)), queue))
          return `queue ${queue.id}`;
      }
      for (const { record, bookings, ending, storedHeartbeatAt } of workers) {
        // A heartbeat without news is not always written.
        const stored = { ...record, lastHeartbeatAt: storedHeartbeatAt };
        if (!isDeepStrictEqual(view.store.get('worker', keys.worker(record.id)), stored))
          return `worker ${record.id}`;
        if (record.lastHeartbeatAt < storedHeartbeatAt) return `the heartbeat of the worker ${record.id}`;
        const kept = view.store.get('booking', keys.booking(record.id));
        if (!isDeepStrictEqual(kept?.bookings ?? [], bookings.all())) return `bookings of ${record.id}`;
        if (!isDeepStrictEqual(kept?.ending ?? null, ending)) return `bookings that end on ${record.id}`;
      }
      for (const job of jobs) {
        const wrong = jobDiffers(job, view);
        if (wrong !== null) return wrong;
      }
    }
    return null;
  },
};

function jobDiffers(job: JobState, view: ServiceView): string | null {
  const { id, farmId } = job.record;
  if (!isDeepStrictEqual(view.store.get('job', keys.job(id)), job.record)) return `job ${id}`;
  if (view.store.get('activeJob', keys.activeJob(farmId, id)) === undefined)
    return `job ${id} is not listed as active`;
  for (const step of job.steps) {
    const { order } = step.record;
    if (!isDeepStrictEqual(view.store.get('step', keys.step(id, order)), toStepRecord(step.record)))
      return `step ${order} of ${id}`;
    for (const [number, page] of step.pages) {
      const kept = view.store.get('taskPage', keys.taskPage(id, order, number));
      if (kept === undefined || Buffer.compare(kept, page) !== 0)
        return `task page ${number} of step ${order} of ${id}`;
    }
  }
  const rows = [...view.store.scan('taskRules', { prefix: `${id}/` })];
  if (rows.length !== job.ruleUses.size) return `${rows.length} rows of retry rules of ${id}`;
  for (const { key, value } of rows) {
    const { stepOrder, index } = taskOfTextKey(key);
    if (!isDeepStrictEqual(job.ruleUses.get(`${stepOrder}/${index}`), value)) return `retry rules of ${key}`;
  }
  for (const attempt of job.openAttempts.values()) {
    const address = parseAttemptId(attempt.id);
    if (address === null || !isDeepStrictEqual(storedAttempt(view.store, address), attempt))
      return `the open attempt ${attempt.id}`;
  }
  return null;
}

/** Ended work leaves no rows behind. */
export const jobsEndOrCannotRun: Invariant = {
  name: 'in the end every job is terminal, or waits for something that never happens',
  check: ofFarms((view, { isLifted }) => {
    const stuck = new Set(
      view.jobs.filter((job) => cannotRun(view, job, isLifted)).map((job) => job.record.id),
    );
    for (const job of view.jobs) {
      if (stuck.has(job.record.id)) continue;
      if (
        job.record.status === 'blocked' &&
        job.record.dependsOn.some(
          (id) =>
            job.record.endedUpstreams?.includes(id) === true ||
            view.jobs.some((each) => each.record.id === id),
        )
      )
        continue;
      return `${job.record.id} is ${job.record.status}: ${JSON.stringify(job.record.taskCounts)}`;
    }
    return null;
  }),
};

/**
 * Reports whether a job can never continue. None of its tasks runs. Ready tasks are paused or require a missing worker;
 * or no task is ready, and pending tasks wait for a step that did not complete.
 */
function cannotRun({ farm, workers, lease }: FarmView, job: JobState, isLifted: boolean): boolean {
  if (job.openAttempts.size > 0 || job.record.status === 'blocked') return false;
  const isPaused = job.record.status === 'paused' || farm.queues.get(job.record.queueId)?.paused === true;
  if (isPaused || job.record.startAfter !== undefined) return !isLifted;
  const ready = job.steps.filter((step) => step.record.taskCounts.ready > 0);
  if (ready.length === 0) return job.steps.every((step) => isTerminalStep(step) || waitsInVain(job, step));
  // A pool that is full has holders, and those end; one that is not registered, held back or too small gives out no slots.
  const isUnregistered = (name: string, { poolAmounts }: StepRequirements): boolean => {
    const { maxConcurrent, counts, hold } = lease.pools.stateOf(name);
    const needed = counts === 'amounts' ? (poolAmounts?.[name] ?? 1) : 1;
    return maxConcurrent === null || hold !== undefined || needed > maxConcurrent;
  };
  return ready.every(
    (step) =>
      (!isLifted && step.record.hold !== null) ||
      step.plan.requirements.pools.some((name) => isUnregistered(name, step.plan.requirements)) ||
      !workers.some(
        ({ record, evidence }) =>
          evidence.quarantine === null &&
          (isLifted || record.status !== 'disabled') &&
          mayRun(record, job.record.queueId, needsOf(step)),
      ),
  );
}

function isTerminalStep({ record: { taskCounts } }: StepState): boolean {
  return taskCounts.succeeded + taskCounts.failed + taskCounts.canceled === taskCounts.total;
}

/** A single task was retried, and an earlier step ended without completing. */
function waitsInVain(job: JobState, step: StepState): boolean {
  return step.plan.dependsOn.some((order) => {
    const upstream = job.steps[order];
    if (upstream === undefined) return false;
    const { succeeded, total } = upstream.record.taskCounts;
    return isTerminalStep(upstream) ? succeeded < total : waitsInVain(job, upstream);
  });
}

export const noBookingsRemain: Invariant = {
  name: 'in the end no cores are booked',
  check: ofFarms(({ workers }) => {
    for (const { record, bookings, exiting } of workers) {
      for (const attemptId of bookings.ids()) return `${attemptId} is booked on ${record.id}`;
      for (const attemptId of exiting) return `the end of ${attemptId} on ${record.id} is not confirmed`;
    }
    return null;
  }),
};

export const noRowsOfDeletedJobsRemain: Invariant = {
  name: 'in the end no rows of deleted jobs remain',
  check: ({ store }) => orphanedRows(store)[0] ?? null,
};

/** Retention deletes jobs in time. */
export const expiredJobsAreDeleted: Invariant = {
  name: 'in the end retention has deleted all expired jobs',
  check: ({ store, farms, now, isClockSteady, retention }) => {
    if (retention.afterMs === 0 || !isClockSteady) return null;
    const needed = new Set(farms.flatMap(({ jobs }) => jobs.flatMap(({ record }) => record.dependsOn)));
    for (const { value: job } of store.scan('job')) {
      const mayGo = job.status === 'completed' || (retention.includeFailed && isTerminalStatus(job.status));
      if (!mayGo || needed.has(job.id)) continue;
      const keptMs = now - (job.endedAt ?? now);
      if (keptMs > retention.afterMs * RETENTION_LATE) return `${job.id} is ${job.status} since ${keptMs} ms`;
    }
    return null;
  },
};
