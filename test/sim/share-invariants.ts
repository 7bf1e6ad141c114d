import type { JobState } from '../../actors/service/job/state.ts';
import type { StepState } from '../../actors/service/job/step-state.ts';
import type { Sharer } from '../../src/core/lease/step-entry.ts';
import { Shares } from '../../src/core/lease/shares.ts';
import { parseAttemptId } from '../../src/core/ids.ts';
import type { StepKey } from '../../src/core/lease/candidate-order.ts';
import type { StepCores } from '../../src/core/lease/worker-uses.ts';
import { meanOf } from '../../src/core/records/step.ts';
import { keys } from '../../src/core/records/tables.ts';
import { isLeasable, ofFarms, type Invariant } from './invariant-frame.ts';
import { heldOn } from './preemption-oracle.ts';
import { addUse, usesBySharer, usesOf } from './share-levels.ts';
import type { FarmView, ServiceView } from './service-view.ts';

/** The cores in use of jobs are those of the bookings, and those of sharers are those of the jobs that the lease actor knows. */
export const leaseCountsShares: Invariant = {
  name: 'the lease actor counts the cores in use of jobs and sharers',
  check: ofFarms(({ farm, lease, jobs, workers }) => {
    const booked = bookedBySteps(workers.filter(({ record }) => record.status !== 'offline'));
    const counted = usesOf(lease);
    for (const step of new Set([...booked.keys(), ...counted.keys()])) {
      const [real, seen] = [booked.get(step)?.cores ?? 0, counted.get(step)?.cores ?? 0];
      if (real !== seen) return `${step} has ${real} cores, the lease actor counts ${seen}`;
    }
    const setting = farm.record.queuePolicy;
    if (lease.queuePolicyVersion !== (setting?.version ?? 0))
      return `the farm has queue policy ${setting?.version ?? 0}, the lease actor ${lease.queuePolicyVersion}`;
    const { shares } = lease.index;
    if (setting === undefined || setting.kind === 'fifo' || shares === null)
      return shares === null && (setting?.kind ?? 'fifo') === 'fifo' ? null : 'the farm is shared otherwise';
    const known = jobs.filter((job) => job.steps.some((step) => isOffered(job, step)));
    const records = new Map(known.map(({ record }) => [record.id, record]));
    const bySharer = usesBySharer(
      new Map([...booked].filter(([, { jobId }]) => records.has(jobId))),
      setting,
      (id) => records.get(id),
      () => ({ low: 0, high: 0 }),
    );
    if (bySharer === null) return null;
    for (const { name, cores } of shares.all()) {
      const used = bySharer.get(name)?.cores ?? 0;
      if (used !== cores) return `${name} has ${used} cores in use, the lease actor counts ${cores}`;
      bySharer.delete(name);
    }
    for (const [name, { cores }] of bySharer)
      return `the lease actor does not know ${name}, which has ${cores} cores in use`;
    return null;
  }),
};

/** When all commits are durable, a lease actor that is loaded from the store decides like the one that has run. */
export const loadedSharesDecideAlike: Invariant = {
  name: 'shares that are loaded from the store rank sharers like those in memory',
  check: (view) => {
    for (const farm of view.farms) {
      const wrong = loadedDiffers(farm, view);
      if (wrong !== null) return wrong;
    }
    return null;
  },
};

function loadedDiffers({ farm, lease, jobs, workers }: FarmView, { store }: ServiceView): string | null {
  const { shares } = lease.index;
  if (shares === null || lease.recovery !== 'ready') return null;
  const prefix = keys.shareUsageOf(farm.record.id);
  const stored = [...store.scan('shareUsage', { prefix })].map(({ value }) => value);
  const loaded = new Shares(shares.setting, stored);
  const booked = bookedBySteps(workers.filter(({ record }) => record.status !== 'offline'));
  for (const { jobId, stepOrder, cores } of booked.values()) loaded.count(jobId, stepOrder, cores);
  for (const job of jobs) {
    for (const step of job.steps) {
      if (!isOffered(job, step)) continue;
      const { attemptTimes, order: stepOrder } = step.record;
      loaded.join({ ...job.record, jobId: job.record.id, stepOrder, meanMs: meanOf(attemptTimes) });
    }
  }
  loaded.start(shares.time);
  const ranks = new Map(loaded.all().map((sharer) => [sharer.name, rankText(sharer)]));
  const unused = rankText({
    rank: 0,
    tie: shares.setting.kind === 'weighted' ? 0 : -Infinity,
    level: -Infinity,
  });
  for (const sharer of shares.all()) {
    const { name } = sharer;
    const again = ranks.get(name) ?? unused;
    if (again !== rankText(sharer))
      return `${name} of ${farm.record.id} has the rank ${rankText(sharer)}, loaded ${again}`;
    ranks.delete(name);
  }
  for (const [name, rank] of ranks)
    if (rank !== unused) return `${name} has the rank ${rank} only when loaded`;
  return null;
}

/** Reports whether a job that is loaded offers the step. */
const isOffered = (job: JobState, { record: { taskCounts } }: StepState): boolean =>
  isLeasable(job) || taskCounts.assigned + taskCounts.running > 0;

const rankText = ({ rank, tie, level }: Pick<Sharer, 'rank' | 'tie' | 'level'>): string =>
  `${rank} ${tie} ${level}`;

function bookedBySteps(workers: FarmView['workers']): Map<StepKey, StepCores> {
  const cores = new Map<StepKey, StepCores>();
  for (const booking of workers.flatMap(heldOn)) {
    const step = parseAttemptId(booking.attemptId);
    if (step !== null) addUse(cores, step, booking.cores);
  }
  return cores;
}
