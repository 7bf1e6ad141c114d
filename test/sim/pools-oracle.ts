import type { JobMessage } from '../../actors/service/job/messages.ts';
import type { LeaseState } from '../../actors/service/lease/state.ts';
import { parseAttemptId, type WorkerId } from '../../src/core/ids.ts';
import type { StepRequirements } from '../../src/openjd/template/plan.ts';
import type { FarmView } from './service-view.ts';

type Take = Extract<JobMessage, { type: 'tasks.take' }>;

/** Live tasks on each host that name the pool, by the jobs of the farm. */
function tasksByHost({ jobs, workers }: FarmView, pool: string): Map<string, number> {
  const hosts = new Map<string, number>();
  for (const job of jobs) {
    for (const attempt of job.openAttempts.values()) {
      const step = job.steps[parseAttemptId(attempt.id)?.stepOrder ?? -1];
      if (step?.plan.requirements.pools.includes(pool) !== true) continue;
      const host = hostOf(workers, attempt.workerId);
      hosts.set(host, (hosts.get(host) ?? 0) + 1);
    }
  }
  return hosts;
}

const hostOf = (workers: FarmView['workers'], worker: WorkerId): string =>
  workers.find(({ record }) => record.id === worker)?.record.hostname ?? worker;

/** Reports whether a task of a step with these requirements gets slots of all its pools on the worker. */
export function hasSlots(view: FarmView, needs: StepRequirements, worker: WorkerId): boolean {
  return needs.pools.every((pool) => {
    const { maxConcurrent, inUse, counts, hold } = view.lease.pools.stateOf(pool);
    if (hold !== undefined || maxConcurrent === null) return false;
    if (counts === 'hosts' && tasksByHost(view, pool).has(hostOf(view.workers, worker)))
      return inUse <= maxConcurrent;
    const wanted = counts === 'amounts' ? (needs.poolAmounts?.[pool] ?? 1) : 1;
    return inUse + wanted <= maxConcurrent;
  });
}

/** Slots of pools before each lease of a turn: those of the lease actor after it, without its leases. */
export class PoolBooks {
  private readonly lease: LeaseState;
  private readonly view: FarmView;
  /** Slots that are taken and not counted yet, by pool. */
  private readonly more = new Map<string, number>();
  /** Tasks of the leases of the turn that are not made yet, by pool and host. */
  private readonly later = new Map<string, number>();

  constructor(lease: LeaseState, view: FarmView, takes: readonly Take[]) {
    this.lease = lease;
    this.view = view;
    for (const { workerId, pick } of takes) {
      const entry = lease.index.entry(pick.jobId, pick.stepOrder);
      const count = pick.ranges.reduce((sum, range) => sum + range.count, 0);
      if (entry !== undefined) this.add(entry.requirements, workerId, -count);
    }
  }

  hasRoom(needs: StepRequirements, worker: WorkerId): boolean {
    return needs.pools.every((pool) => {
      const { maxConcurrent, inUse, counts, hold } = this.lease.pools.stateOf(pool);
      if (hold !== undefined || maxConcurrent === null) return false;
      if (counts === 'hosts' && this.onHost(pool, hostOf(this.view.workers, worker)) > 0)
        return inUse + (this.more.get(pool) ?? 0) <= maxConcurrent;
      const wanted = counts === 'amounts' ? (needs.poolAmounts?.[pool] ?? 1) : 1;
      return inUse + (this.more.get(pool) ?? 0) + wanted <= maxConcurrent;
    });
  }

  take(needs: StepRequirements, worker: WorkerId): void {
    this.add(needs, worker, 1);
  }

  /** Live tasks on the host at this point, by the entries of the lease actor. */
  private onHost(pool: string, host: string): number {
    let tasks = this.later.get(`${pool} ${host}`) ?? 0;
    for (const { requirements, liveOn } of this.lease.index.allSteps())
      if (requirements.pools.includes(pool))
        tasks += liveOn.filter((worker) => hostOf(this.view.workers, worker) === host).length;
    return tasks;
  }

  private add(needs: StepRequirements, worker: WorkerId, tasks: number): void {
    const host = hostOf(this.view.workers, worker);
    for (const pool of needs.pools) {
      const { counts } = this.lease.pools.stateOf(pool);
      const before = counts === 'hosts' ? this.onHost(pool, host) : 0;
      const key = `${pool} ${host}`;
      this.later.set(key, (this.later.get(key) ?? 0) + tasks);
      const slots =
        counts === 'hosts'
          ? Number(before + tasks > 0) - Number(before > 0)
          : tasks * (counts === 'amounts' ? (needs.poolAmounts?.[pool] ?? 1) : 1);
      this.more.set(pool, (this.more.get(pool) ?? 0) + slots);
    }
  }
}
