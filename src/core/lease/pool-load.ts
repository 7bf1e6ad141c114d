/**
 * Invariants: `tasks` and `slots` are the sums over all workers; `onHosts` has the live tasks of the hosts with any.
 * Exits: a load without tasks is dropped by its owner.
 */

import type { StepRequirements } from '../../openjd/template/plan.ts';
import type { WorkerId } from '../ids.ts';
import type { PoolCounts } from '../records/usage-pool.ts';

/** The usage pools that each task of a step takes slots of. */
export type PoolDemand = Pick<StepRequirements, 'pools' | 'poolAmounts'>;

/** Returns the slots that one task takes of a pool that counts amounts. */
export const slotsOfTask = ({ poolAmounts }: PoolDemand, pool: string): number => poolAmounts?.[pool] ?? 1;

/** Returns the slots that one task takes of a pool, besides those that its host has already. */
export const slotsPerTask = (counts: PoolCounts | undefined, demand: PoolDemand, pool: string): number =>
  counts === 'amounts' ? slotsOfTask(demand, pool) : 1;

/** The live tasks of one farm that name a usage pool, counted in each way (docs/policy.md#what-a-pool-counts). */
export class PoolLoad {
  private liveTasks = 0;
  private slots = 0;
  private readonly onWorkers = new Map<WorkerId, number>();
  private readonly onHosts = new Map<string, number>();

  get tasks(): number {
    return this.liveTasks;
  }

  /** Returns the number of slots that these tasks hold. */
  share(counts: PoolCounts | undefined): number {
    if (counts === 'hosts') return this.onHosts.size;
    return counts === 'amounts' ? this.slots : this.liveTasks;
  }

  hasHost(host: string): boolean {
    return this.onHosts.has(host);
  }

  /** Adds tasks on a worker of the host (negative: removes them), each with this many slots. */
  add(worker: WorkerId, host: string, tasks: number, slotsEach: number): void {
    this.liveTasks += tasks;
    this.slots += tasks * slotsEach;
    count(this.onWorkers, worker, tasks);
    count(this.onHosts, host, tasks);
  }

  /** The worker has another host than it was counted with. */
  move(worker: WorkerId, from: string, to: string): void {
    const tasks = this.onWorkers.get(worker) ?? 0;
    count(this.onHosts, from, -tasks);
    count(this.onHosts, to, tasks);
  }
}

function count<Key>(counts: Map<Key, number>, key: Key, change: number): void {
  const after = (counts.get(key) ?? 0) + change;
  if (after === 0) counts.delete(key);
  else counts.set(key, after);
}
