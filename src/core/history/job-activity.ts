import { isTerminalJob } from '../lifecycle/job-transitions.ts';
import { detachString } from '../lists/detach-string.ts';
import type { JobRecord } from '../records/job.ts';

/** Tasks that have ended since they were asked for last. */
export interface EndedTasks {
  succeeded: number;
  failed: number;
}

/** What jobs of one farm add up to. */
interface FarmActivity {
  /** Ready tasks, those of paused jobs among them. */
  ready: number;
  /** Assigned and running tasks. */
  live: number;
  readonly paused: { jobs: number; tasks: number };
  ended: EndedTasks;
  readonly queues: Map<string, EndedTasks>;
  readonly owners: Map<string, EndedTasks>;
}

/** What a job that has not ended counts for. */
interface Share {
  readonly farmId: string;
  readonly queueId: string;
  readonly owner: string;
  readonly isPaused: boolean;
  readonly ready: number;
  readonly live: number;
  readonly succeeded: number;
  readonly failed: number;
}

export type CountedJob = Pick<
  JobRecord,
  'id' | 'farmId' | 'queueId' | 'owner' | 'status' | 'taskCounts' | 'createdAt'
>;

/** The queue and the owner that a job belongs to. */
export type JobSide = Pick<Share, 'queueId' | 'owner'>;

/**
 * Follows the rows of jobs: what is ready and runs in each farm, and how many tasks ended, by queue and by owner. Keeps a few numbers of each
 * job that has not ended.
 */
export class JobActivity {
  readonly #since: number;
  readonly #shares = new Map<string, Share>();
  readonly #farms = new Map<string, FarmActivity>();
  /** Texts that many jobs share are held once. */
  readonly #texts = new Map<string, string>();

  /** `since` is when it began to follow, in milliseconds since the epoch: what had ended by then is not counted. */
  constructor(since: number) {
    this.#since = since;
  }

  /** A job as it is now; `wasListed` says whether there was a row of it before. */
  put(job: CountedJob, wasListed: boolean): void {
    const known = this.#shares.get(job.id);
    const { taskCounts: counts } = job;
    const share: Share = {
      farmId: this.#shared(job.farmId),
      queueId: this.#shared(job.queueId),
      owner: this.#shared(job.owner),
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

  /** A job is gone. */
  remove(id: string): void {
    const known = this.#shares.get(id);
    if (known === undefined) return;
    this.#shares.delete(id);
    this.#add(known, -1);
  }

  /** Null for a job that has ended, or is not known. */
  sideOf(id: string): JobSide | null {
    return this.#shares.get(id) ?? null;
  }

  /** Tasks of a farm that are ready and that are live. */
  tasks(farmId: string): { readonly ready: number; readonly live: number } {
    const { ready = 0, live = 0 } = this.#farms.get(farmId) ?? {};
    return { ready, live };
  }

  /** Paused jobs of a farm that have ready tasks, and how many tasks those are. */
  paused(farmId: string): { readonly jobs: number; readonly tasks: number } {
    return { ...(this.#farms.get(farmId)?.paused ?? { jobs: 0, tasks: 0 }) };
  }

  /** What has ended in a farm since the last time. */
  takeEnded(farmId: string): {
    readonly all: EndedTasks;
    readonly queues: ReadonlyMap<string, EndedTasks>;
    readonly owners: ReadonlyMap<string, EndedTasks>;
  } {
    const farm = this.#farms.get(farmId);
    if (farm === undefined) return { all: { succeeded: 0, failed: 0 }, queues: new Map(), owners: new Map() };
    const taken = { all: farm.ended, queues: new Map(farm.queues), owners: new Map(farm.owners) };
    farm.ended = { succeeded: 0, failed: 0 };
    farm.queues.clear();
    farm.owners.clear();
    return taken;
  }

  /**
   * Of farms that are not among these forgets what has ended in them, and those whole that have no job any more; forgets the texts that no
   * job has any more.
   */
  keepOnly(farmIds: ReadonlySet<string>): void {
    const withJobs = new Set<string>();
    this.#texts.clear();
    for (const { farmId, queueId, owner } of this.#shares.values()) {
      withJobs.add(farmId);
      for (const text of [farmId, queueId, owner]) this.#texts.set(text, text);
    }
    for (const id of this.#farms.keys()) {
      if (farmIds.has(id)) continue;
      // What its jobs add up to must stay as long as they do: each takes off again what it has added.
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
    };
    this.#farms.set(id, farm);
    return farm;
  }

  #add({ farmId, isPaused, ready, live }: Share, sign: 1 | -1): void {
    const farm = this.#farm(farmId);
    farm.ready += sign * ready;
    farm.live += sign * live;
    if (!isPaused || ready === 0) return;
    farm.paused.jobs += sign;
    farm.paused.tasks += sign * ready;
  }

  /** A manual retry takes failures back: they were counted in their time. */
  #countEnded({ farmId, queueId, owner, succeeded, failed }: Share, before: EndedTasks): void {
    const more = {
      succeeded: Math.max(0, succeeded - before.succeeded),
      failed: Math.max(0, failed - before.failed),
    };
    if (more.succeeded === 0 && more.failed === 0) return;
    const farm = this.#farm(farmId);
    addEnded(farm.ended, more);
    addEnded(entryOf(farm.queues, queueId), more);
    addEnded(entryOf(farm.owners, owner), more);
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
