import { isDeepStrictEqual } from 'node:util';
import type { JobState } from '../../actors/service/job/state.ts';
import type { StepState } from '../../actors/service/job/step-state.ts';
import type { LeaseState } from '../../actors/service/lease/state.ts';
import type { WorkerState } from '../../actors/service/worker/state.ts';
import { parseAttemptId, taskIdOf } from '../../src/core/ids.ts';
import { NO_EVIDENCE } from '../../src/core/quarantine/evidence.ts';
import { keys } from '../../src/core/records/tables.ts';
import { ofFarms, ofTouchedJobs, type Invariant } from './invariant-frame.ts';
import { taskAt } from './job-snapshot.ts';

/** Rules of quarantine, canary tasks and outages, implemented a second time from docs/quarantine.md and docs/outages.md. */

const CANARY_STEP_MIN = 5;
const CANARIES = 3;

/** Reports whether a task has to wait for the canary tasks of its step. */
export function waitsForCanaries(job: JobState, { plan, record }: StepState, index: number): boolean {
  const isOn = job.record.retry.canaryTasks === true || job.inherited.canaryTasks === true;
  const { taskCount, taskCounts } = record;
  if (!isOn || taskCount < CANARY_STEP_MIN || plan.chunks !== undefined) return false;
  if (taskCounts.succeeded + taskCounts.failed + taskCounts.canceled >= CANARIES) return false;
  return index !== 0 && index !== taskCount - 1 && index !== Math.floor((taskCount - 1) / 2);
}

/** Returns the steps of a job that tries canary tasks which fail everywhere. */
export function stepsFailingEverywhere(job: JobState): ReadonlySet<number> {
  if (job.record.retry.canaryTasks !== true && job.inherited.canaryTasks !== true) return new Set();
  const failing = job.steps.filter(({ plan, record: { order, taskCounts, taskCount } }) => {
    if (taskCounts.succeeded > 0) return false;
    const ofWorkers = [...(job.failures.get(order)?.values() ?? [])];
    const ofStep = ofWorkers.reduce((sum, each) => sum + each.failures, 0);
    const failures = Math.min(ofStep, job.record.failedAttempts);
    const hasCanaries = taskCount >= CANARY_STEP_MIN && plan.chunks === undefined;
    const ofCanaries = hasCanaries && taskCounts.failed === CANARIES && taskCounts.canceled === 0;
    return (failures >= 6 && ofWorkers.length >= 3) || ofCanaries;
  });
  return new Set(failing.map(({ record }) => record.order));
}

/** Reports whether an outage holds the usage pool, also while one of its tasks is tried. */
export const isHeldPool = ({ outages: { record } }: LeaseState, pool: string): boolean =>
  record.outages.some(
    ({ kind, name, endedAt }) => endedAt === undefined && kind === 'usage pool' && name === pool,
  );

/** Reports whether an outage holds tasks of the step on the worker, also while one of them is tried. */
export const isHeldFor = (
  { outages: { record } }: LeaseState,
  { plan }: StepState,
  { record: { computeLocation } }: WorkerState,
): boolean =>
  record.outages.some(
    ({ kind, name, endedAt }) =>
      endedAt === undefined &&
      (kind === 'usage pool' ? plan.requirements.pools.includes(name) : name === computeLocation),
  );

/** The task that is tried is the only one that starts in a held place after the start of its hold. */
export const heldPlacesStartOnlyProbes: Invariant = {
  name: 'in a held usage pool or location only the probe starts',
  check: ofFarms(({ lease, jobs, workers }, { isClockSteady }) => {
    if (!isClockSteady) return null;
    const locations = new Map(workers.map(({ record }) => [record.id, record.computeLocation]));
    for (const outage of lease.outages.record.outages) {
      if (outage.endedAt !== undefined) continue;
      for (const job of jobs) {
        for (const { id, workerId, startedAt } of job.openAttempts.values()) {
          const pools = job.steps[parseAttemptId(id)?.stepOrder ?? -1]?.plan.requirements.pools ?? [];
          const isThere =
            outage.kind === 'usage pool'
              ? pools.includes(outage.name)
              : locations.get(workerId) === outage.name;
          if (isThere && startedAt > outage.since && outage.probe?.attemptId !== id)
            return `${id} has started in ${outage.kind} ${outage.name} at ${startedAt}, held since ${outage.since}`;
        }
      }
    }
    return null;
  }),
};

/** A task has at most as many failures as attempts that failed without an outage. */
export const outagesConsumeNothing: Invariant = {
  name: 'a failure in an outage consumes no attempt',
  check: ofTouchedJobs((job, { attemptsOf }) => {
    for (const step of job.steps) {
      const { order, taskCount } = step.record;
      for (let index = 0; index < taskCount; index++) {
        const failures = taskAt(step, index).own?.failedAttempts ?? 0;
        if (failures === 0) continue;
        const excused = job.ruleUses.get(`${order}/${index}`)?.excused ?? [];
        const counted = attemptsOf(taskIdOf({ jobId: job.record.id, stepOrder: order, index })).filter(
          ({ attemptNumber, outage, status }) =>
            status === 'failed' && outage === undefined && !excused.includes(attemptNumber),
        ).length;
        if (failures > counted)
          return `${job.record.id}-${order}-${index} has ${failures} failures, ${counted} count`;
      }
    }
    return null;
  }),
};

/** The lease actor keeps every worker in quarantine from what it is in quarantine for. */
export const quarantinesAreInForce: Invariant = {
  name: 'the lease actor knows every quarantine',
  check: ofFarms(({ lease, workers }) => {
    if (lease.recovery !== 'ready') return null;
    for (const { record, evidence } of workers) {
      const known = lease.workers.get(record.id);
      if (evidence.quarantine !== null && known?.isOnline === true)
        return `${record.id} is in quarantine, and online for the lease actor`;
      for (const { jobId, stepOrder, quarantine } of evidence.steps) {
        if (quarantine === undefined) continue;
        const doubts = lease.doubts.about(jobId, stepOrder, lease.kinds.online);
        if (!doubts.some(({ workerId }) => workerId === record.id))
          return `the lease actor does not know that ${record.id} is in quarantine for ${jobId}/${stepOrder}`;
      }
    }
    return null;
  }),
};

/** When all commits are durable, an actor that is loaded from the store decides like the one in memory. */
export const guardsAreStored: Invariant = {
  name: 'outages and evidence in memory equal their stored rows',
  check: ({ farms, store }) => {
    for (const { lease, workers } of farms) {
      const { outages, recent } = lease.outages.record;
      const stored = store.get('farmOutages', keys.farmOutages(lease.farmId));
      if (
        !isDeepStrictEqual(stored?.outages ?? [], outages) ||
        !isDeepStrictEqual(stored?.recent ?? [], recent)
      )
        return `the outages of ${lease.farmId}`;
      for (const { record, evidence } of workers) {
        const row = store.get('workerEvidence', keys.workerEvidence(record.id));
        if (!isDeepStrictEqual(row ?? NO_EVIDENCE, evidence)) return `the evidence about ${record.id}`;
      }
    }
    return null;
  },
};
