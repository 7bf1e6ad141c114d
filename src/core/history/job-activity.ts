/**
 * Invariants: `#shares` has exactly the known jobs that have not ended; ready and live tasks of a farm are the sums
 * over them; `#byOwner` has the sums by owner. Exits: a job leaves when it ends or is deleted; `takeEnded` and `keepOnly` reset the ended tasks.
 */

import { isTerminalJob } from '../lifecycle/job-transitions.ts';
import { detachString } from '../lists/detach-string.ts';
import type { StateCounts } from '../metrics/state-counts.ts';
import type { JobRecord } from '../records/job.ts';
import { usernameKey } from '../records/user.ts';
import { OwnerActivity, type OwnedShare } from './owner-activity.ts';

/** Tasks that ended since the previous call. */
export interface EndedTasks {
  succeeded: number;
  failed: number;
}

/** Sums over the jobs of one farm. */
interface FarmActivity {
  /** Ready tasks, including those of paused jobs. */
  ready: number;
  /** Assigned and running tasks. */
  live: number;
  readonly paused: { jobs: number; tasks: number };
  ended: EndedTasks;
  readonly queues: Map<string, EndedTasks>;
  readonly owners: Map<string, EndedTasks>;
  readonly projects: Map<string, EndedTasks>;
}

/** Contribution of a job that has not ended. */
interface Share extends OwnedShare {
  readonly queueId: string;
  readonly owner: string;
  readonly project: string;
  readonly live: number;
  readonly succeeded: number;
  readonly failed: number;
}

export type CountedJob = Pick<
  JobRecord,
  'id' | 'farmId' | 'queueId' | 'owner' | 'project' | 'status' | 'taskCounts' | 'createdAt'
>;

/** Tasks of the jobs of a queue that have not ended. */
export interface QueueLoad {
  /** Ready tasks, including those of paused jobs. */
  readonly ready: number;
  /** Assigned and running tasks. */
  readonly live: number;
}

/** Queue, owner and project of a job. */
export type JobSide = Pick<Share, 'queueId' | 'owner' | 'project'>;

/**
 * Follows the rows of jobs: ready and live tasks of each farm, and the number of ended tasks by queue, by owner and by project.
 * Keeps a few numbers for each job that has not ended.
 */
export class JobActivity {
  readonly #since: number;
  readonly #shares = new Map<string, Share>();
  readonly #farms = new Map<string, FarmActivity>();
  readonly #byOwner = new OwnerActivity();
  /** Each text is kept once, because many jobs share it. */
  readonly #texts = new Map<string, string>();

  /** `since` is the time at which following started, in milliseconds since the epoch. Earlier ends are not counted. */
  constructor(since: number) {
    this.#since = since;
  }

  /** Adds or updates a job. `wasListed` is true if there was a row of it before. */
  put(job: CountedJob, wasListed: boolean): void {
    const known = this.#shares.get(job.id);
    const { taskCounts: counts } = job;
    const share: Share = {
      farmId: this.#shared(job.farmId),
      queueId: this.#shared(job.queueId),
      owner: this.#shared(job.owner),
      project: this.#shared(job.project),
      ownerKey: this.#shared(usernameKey(job.owner)),
      tasks: {
        pending: counts.pending,
        ready: counts.ready,
        assigned: counts.assigned,
        running: counts.running,
        unschedulable: counts.unschedulable,
      },
      isPaused: job.status === 'paused',
      ready: counts.ready,
      live: counts.assigned + counts.running,
      succeeded: counts.succeeded,
      failed: counts.failed,
    };
    const isNew = !wasListed && job.createdAt >= this.#since;
    if (known !== undefined || isNew) this.#countEnded(share, known ?? NOTHING);
    if (known !== undefined) this.#add(known, -1);
    if (isTerminalJob(job.status)) {
      this.#shares.delete(job.id);
      return;
    }
    this.#shares.set(known === undefined ? detachString(job.id) : job.id, share);
    this.#add(share, 1);
  }

  /** Removes a job. */
  remove(id: string): void {
    const known = this.#shares.get(id);
    if (known === undefined) return;
    this.#shares.delete(id);
    this.#add(known, -1);
  }

  /** Returns the queue, owner and project of a job, or null if it has ended or is unknown. */
  sideOf(id: string): JobSide | null {
    return this.#shares.get(id) ?? null;
  }

  /** Returns the tasks of an owner's jobs that have not ended, in one farm or in all. */
  tasksOf(ownerKey: string, farmId: string | null): StateCounts['tasks'] {
    return this.#byOwner.tasks(ownerKey, farmId);
  }

  /** Returns the number of paused jobs of an owner in a farm that have ready tasks, and of these tasks. */
  pausedOf(ownerKey: string, farmId: string): { readonly jobs: number; readonly tasks: number } {
    return this.#byOwner.paused(ownerKey, farmId);
  }

  /** Returns the ready and the live tasks of a farm. */
  tasks(farmId: string): { readonly ready: number; readonly live: number } {
    const { ready = 0, live = 0 } = this.#farms.get(farmId) ?? {};
    return { ready, live };
  }

  /** Returns the number of paused jobs of a farm that have ready tasks, and of these tasks. */
  paused(farmId: string): { readonly jobs: number; readonly tasks: number } {
    return { ...(this.#farms.get(farmId)?.paused ?? { jobs: 0, tasks: 0 }) };
  }

  /** Returns the tasks by queue, of all owners or of one. Linear in jobs that have not ended. */
  queueLoads(ownerKey: string | null): ReadonlyMap<string, QueueLoad> {
    const loads = new Map<string, { ready: number; live: number }>();
    for (const share of this.#shares.values()) {
      if (ownerKey !== null && share.ownerKey !== ownerKey) continue;
      const load = loads.get(share.queueId) ?? { ready: 0, live: 0 };
      load.ready += share.ready;
      load.live += share.live;
      loads.set(share.queueId, load);
    }
    return loads;
  }

  /** Returns the tasks that ended in a farm since the previous call. */
  takeEnded(farmId: string): {
    readonly all: EndedTasks;
    readonly queues: ReadonlyMap<string, EndedTasks>;
    readonly owners: ReadonlyMap<string, EndedTasks>;
    readonly projects: ReadonlyMap<string, EndedTasks>;
  } {
    const farm = this.#farms.get(farmId);
    if (farm === undefined)
      return {
        all: { succeeded: 0, failed: 0 },
        queues: new Map(),
        owners: new Map(),
        projects: new Map(),
      };
    const taken = {
      all: farm.ended,
      queues: new Map(farm.queues),
      owners: new Map(farm.owners),
      projects: new Map(farm.projects),
    };
    farm.ended = { succeeded: 0, failed: 0 };
    farm.queues.clear();
    farm.owners.clear();
    farm.projects.clear();
    return taken;
  }

  /** Drops the ended tasks of all other farms, the other farms without jobs, and the texts that no job uses. */
  keepOnly(farmIds: ReadonlySet<string>): void {
    const withJobs = new Set<string>();
    this.#texts.clear();
    for (const { farmId, queueId, owner, ownerKey, project } of this.#shares.values()) {
      withJobs.add(farmId);
      for (const text of [farmId, queueId, owner, ownerKey, project]) this.#texts.set(text, text);
    }
    for (const id of this.#farms.keys()) {
      if (farmIds.has(id)) continue;
      // The sums of a farm must be kept while it has jobs, because each job subtracts what it has added.
      if (withJobs.has(id)) this.takeEnded(id);
      else this.#farms.delete(id);
    }
  }

  #shared(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const own = detachString(text);
    this.#texts.set(own, own);
    return own;
  }

  #farm(id: string): FarmActivity {
    const known = this.#farms.get(id);
    if (known !== undefined) return known;
    const farm: FarmActivity = {
      ready: 0,
      live: 0,
      paused: { jobs: 0, tasks: 0 },
      ended: { succeeded: 0, failed: 0 },
      queues: new Map(),
      owners: new Map(),
      projects: new Map(),
    };
    this.#farms.set(id, farm);
    return farm;
  }

  #add(share: Share, sign: 1 | -1): void {
    this.#byOwner.add(share, sign);
    const { farmId, isPaused, ready, live } = share;
    const farm = this.#farm(farmId);
    farm.ready += sign * ready;
    farm.live += sign * live;
    if (!isPaused || ready === 0) return;
    farm.paused.jobs += sign;
    farm.paused.tasks += sign * ready;
  }

  /** A manual retry lowers the counts. The earlier ends have already been counted. */
  #countEnded({ farmId, queueId, owner, project, succeeded, failed }: Share, before: EndedTasks): void {
    const more = {
      succeeded: Math.max(0, succeeded - before.succeeded),
      failed: Math.max(0, failed - before.failed),
    };
    if (more.succeeded === 0 && more.failed === 0) return;
    const farm = this.#farm(farmId);
    addEnded(farm.ended, more);
    addEnded(entryOf(farm.queues, queueId), more);
    addEnded(entryOf(farm.owners, owner), more);
    addEnded(entryOf(farm.projects, project), more);
  }
}

const NOTHING: EndedTasks = { succeeded: 0, failed: 0 };

function entryOf(entries: Map<string, EndedTasks>, key: string): EndedTasks {
  const entry = entries.get(key) ?? { succeeded: 0, failed: 0 };
  entries.set(key, entry);
  return entry;
}

function addEnded(sum: EndedTasks, more: EndedTasks): void {
  sum.succeeded += more.succeeded;
  sum.failed += more.failed;
}
