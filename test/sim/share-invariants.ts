import type { Sharer } from '../../src/core/lease/step-entry.ts';
import { Shares } from '../../src/core/lease/shares.ts';
import { parseAttemptId, type JobId } from '../../src/core/ids.ts';
import { keys } from '../../src/core/records/tables.ts';
import { ofFarms, type Invariant } from './invariant-frame.ts';
import { heldOn } from './preemption-oracle.ts';
import { coresBySharer, usesOf } from './share-levels.ts';
import type { FarmView, ServiceView } from './service-view.ts';

/** The cores in use of jobs and sharers are those of the bookings. */
export const leaseCountsShares: Invariant = {
  name: 'the lease actor counts the cores in use of jobs and sharers',
  check: ofFarms(({ farm, lease, jobs, workers }) => {
    const booked = bookedByJob(workers.filter(({ record }) => record.status !== 'offline'));
    const counted = usesOf(lease);
    for (const [job, cores] of new Map([...booked, ...counted])) {
      const [real, seen] = [booked.get(job) ?? 0, counted.get(job) ?? 0];
      if (real !== seen) return `${job} has ${real} cores, the lease actor counts ${seen} (${cores})`;
    }
    const setting = farm.record.queuePolicy;
    if (lease.queuePolicyVersion !== (setting?.version ?? 0))
      return `the farm has queue policy ${setting?.version ?? 0}, the lease actor ${lease.queuePolicyVersion}`;
    const { shares } = lease.index;
    if (setting === undefined || setting.kind === 'fifo' || shares === null)
      return shares === null && (setting?.kind ?? 'fifo') === 'fifo' ? null : 'the farm is shared otherwise';
    const records = new Map(jobs.map(({ record }) => [record.id, record]));
    const bySharer = coresBySharer(booked, setting, (id) => records.get(id));
    if (bySharer === null) return null;
    for (const { name, cores } of shares.all()) {
      const used = bySharer.get(name) ?? 0;
      if (used !== cores) return `${name} has ${used} cores in use, the lease actor counts ${cores}`;
      bySharer.delete(name);
    }
    for (const [name, cores] of bySharer)
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
  for (const [job, cores] of bookedByJob(workers.filter(({ record }) => record.status !== 'offline')))
    loaded.count(job, cores);
  for (const { record } of jobs) loaded.join({ ...record, jobId: record.id });
  loaded.start(shares.time);
  const ranks = new Map(loaded.all().map((sharer) => [sharer.name, rankText(sharer)]));
  const unused = rankText(
    shares.setting.kind === 'weighted' ? { rank: -Infinity, tie: 0 } : { rank: 0, tie: -Infinity },
  );
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

const rankText = ({ rank, tie }: Pick<Sharer, 'rank' | 'tie'>): string => `${rank} ${tie}`;

function bookedByJob(workers: FarmView['workers']): Map<JobId, number> {
  const cores = new Map<JobId, number>();
  for (const booking of workers.flatMap(heldOn)) {
    const job = parseAttemptId(booking.attemptId)?.jobId;
    if (job !== undefined) cores.set(job, (cores.get(job) ?? 0) + booking.cores);
  }
  return cores;
}
