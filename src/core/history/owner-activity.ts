/**
 * Invariants: the sums of an owner are those of the shares that were added and not removed; an owner without jobs has no
 * entry. Exits: removing the last job of an owner in a farm.
 */

import type { StateCounts } from '../metrics/state-counts.ts';

/** Contribution of a job that has not ended. */
export interface OwnedShare {
  readonly farmId: string;
  /** The owner in the form of `usernameKey`. */
  readonly ownerKey: string;
  readonly tasks: StateCounts['tasks'];
  readonly isPaused: boolean;
  readonly ready: number;
}

type TaskSums = { -readonly [Status in keyof StateCounts['tasks']]: number };

/** Sums over the jobs of one owner in one farm. */
interface OwnerSums {
  jobs: number;
  readonly tasks: TaskSums;
  readonly paused: { jobs: number; tasks: number };
}

const noTasks = (): TaskSums => ({ pending: 0, ready: 0, assigned: 0, running: 0, unschedulable: 0 });

/** Tasks of jobs that have not ended, by owner and farm: what an owner may see (docs/decisions/owner-scope.md). */
export class OwnerActivity {
  readonly #owners = new Map<string, Map<string, OwnerSums>>();

  /** Adds (1) or removes (-1) the contribution of a job. */
  add({ ownerKey, farmId, tasks, isPaused, ready }: OwnedShare, sign: 1 | -1): void {
    const farms = this.#owners.get(ownerKey) ?? new Map<string, OwnerSums>();
    const sums = farms.get(farmId) ?? { jobs: 0, tasks: noTasks(), paused: { jobs: 0, tasks: 0 } };
    sums.jobs += sign;
    addTasks(sums.tasks, tasks, sign);
    if (isPaused && ready > 0) {
      sums.paused.jobs += sign;
      sums.paused.tasks += sign * ready;
    }
    if (sums.jobs > 0) farms.set(farmId, sums);
    else farms.delete(farmId);
    if (farms.size > 0) this.#owners.set(ownerKey, farms);
    else this.#owners.delete(ownerKey);
  }

  /** Returns the tasks of an owner in one farm, or in all. */
  tasks(ownerKey: string, farmId: string | null): StateCounts['tasks'] {
    const sum = noTasks();
    for (const [farm, { tasks }] of this.#owners.get(ownerKey) ?? []) {
      if (farmId === null || farm === farmId) addTasks(sum, tasks, 1);
    }
    return sum;
  }

  /** Returns the number of an owner's paused jobs with ready tasks in a farm, and of these tasks. */
  paused(ownerKey: string, farmId: string): { readonly jobs: number; readonly tasks: number } {
    return { ...(this.#owners.get(ownerKey)?.get(farmId)?.paused ?? { jobs: 0, tasks: 0 }) };
  }
}

function addTasks(sum: TaskSums, tasks: StateCounts['tasks'], sign: 1 | -1): void {
  sum.pending += sign * tasks.pending;
  sum.ready += sign * tasks.ready;
  sum.assigned += sign * tasks.assigned;
  sum.running += sign * tasks.running;
  sum.unschedulable += sign * tasks.unschedulable;
}
