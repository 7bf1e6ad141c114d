/**
 * A job has an account from its first step in the index or its first core in use until it has neither. `stopped`: the
 * cores of workers are reported, nothing is leased or counted; `start` ends it. Invariants: the cores of a sharer are
 * those of its jobs; started, each rank belongs to the use of its sharer as of the last count.
 */

import type { JobId, QueueId } from '../ids.ts';
import type { QueuePolicySetting, SharedBy, ShareReason } from '../records/queue-policy.ts';
import { orderByRank, ShareOrder } from './share-order.ts';
import type { Sharer } from './step-entry.ts';
import { halfLifeMs, usageAt, usageOfRank, weightedRank } from './share-usage.ts';

/** Fields of a step that can name its sharer. */
export interface SharedStep {
  readonly jobId: JobId;
  readonly queueId: QueueId;
  readonly owner: string;
  readonly project: string;
}

const SHARER_NAMES: Readonly<Record<SharedBy, (step: SharedStep) => string>> = {
  job: ({ jobId }) => jobId,
  owner: ({ owner }) => owner,
  project: ({ project }) => project,
  queue: ({ queueId }) => queueId,
};

/** Returns the name of the sharer of a step. */
const sharerNameOf = (step: SharedStep, sharedBy: SharedBy): string => SHARER_NAMES[sharedBy](step);

/** Stored usage of a sharer. */
export interface StoredUsage {
  readonly name: string;
  readonly usage: number;
  readonly at: number;
}

interface JobAccount {
  cores: number;
  /** Null for a job of which no step was in the index yet. */
  sharer: Sharer | null;
  isInIndex: boolean;
}

/** Usage of sharers with cores in use is counted again at each multiple of this time. */
const COUNT_EVERY_MS = 60_000;
/** Longest time that is counted in such parts; of a longer one the first part is counted at once. */
const COUNTED_PARTS_MS_MAX = 7 * 86_400_000;
/** A clock that was set back by more makes all usage as old as the new time. */
const SET_BACK_MS = 3_600_000;
/** Usage below this many core seconds is forgotten at the next multiple of the half-life. */
const FORGOTTEN_BELOW = 1;

/**
 * The use of a farm by its sharers under the policies `balanced` and `weighted` (docs/policy.md#queue-policies). All of
 * it follows from the steps in the index, the cores in use, the stored usage and the time.
 */
export class Shares {
  readonly setting: QueuePolicySetting;
  readonly order: ShareOrder;
  private readonly sharers = new Map<string, Sharer>();
  private readonly jobs = new Map<JobId, JobAccount>();
  private readonly weights: ReadonlyMap<string, number>;
  private readonly halfLife: number;
  private readonly isWeighted: boolean;
  private readonly unsaved = new Set<Sharer>();
  private readonly forgotten = new Set<string>();
  private isStarted = false;
  /** Time of the current turn. */
  private now = 0;
  /** The multiple of `COUNT_EVERY_MS` of the last count. */
  private countedAt = 0;
  /** Number of the half-life, since the epoch, at whose start negligible usage was last forgotten. */
  private halvesForgotten = 0;

  constructor(setting: QueuePolicySetting, stored: Iterable<StoredUsage> = []) {
    this.setting = setting;
    this.order = new ShareOrder(orderByRank(setting.priorityFirst));
    this.weights = new Map(setting.weights.map(({ name, weight }) => [name, weight]));
    this.halfLife = halfLifeMs(setting);
    this.isWeighted = setting.kind === 'weighted';
    for (const { name, usage, at } of stored) {
      const sharer = this.sharerNamed(name);
      sharer.usage = usage;
      sharer.at = at;
    }
  }

  /** Starts the count at `now`, when all steps and the cores of all workers are known. */
  start(now: number): void {
    this.isStarted = true;
    this.now = now;
    let since = now;
    for (const sharer of this.sharers.values()) {
      // Cores in use without stored usage are counted from now on.
      if (sharer.cores > 0 && sharer.at === 0) this.countFrom(sharer, now);
      if (sharer.cores > 0) since = Math.min(since, sharer.at);
      this.rank(sharer);
    }
    this.countedAt = partOf(since);
    this.advance(now);
    this.setBack();
    this.forgetUnused();
    for (const sharer of this.sharers.values()) this.dropUnused(sharer);
  }

  /** Sets the time of the turn, and counts the usage of each minute that has ended. */
  advance(now: number): void {
    if (!this.isStarted) return;
    this.now = now;
    if (now < this.countedAt - SET_BACK_MS) this.setBack();
    const end = partOf(now);
    if (end > this.countedAt) {
      const from = Math.max(this.countedAt, end - COUNTED_PARTS_MS_MAX);
      for (let at = from + COUNT_EVERY_MS; at <= end; at += COUNT_EVERY_MS) this.countUntil(at);
      this.countedAt = end;
    }
    if (Math.floor(now / this.halfLife) > this.halvesForgotten) this.forgetUnused();
  }

  /** Returns the sharer of a step that is in the index now. */
  join(step: SharedStep): Sharer {
    const sharer = this.sharerNamed(sharerNameOf(step, this.setting.sharedBy));
    const account = this.accountOf(step.jobId);
    account.isInIndex = true;
    if (account.sharer === sharer) return sharer;
    const { sharer: before, cores } = account;
    if (before !== null) {
      before.jobs--;
      this.countCores(before, -cores);
      this.dropUnused(before);
    }
    account.sharer = sharer;
    sharer.jobs++;
    this.countCores(sharer, cores);
    return sharer;
  }

  /** Records that no step of the job is in the index any longer. */
  leave(jobId: JobId): void {
    const account = this.jobs.get(jobId);
    if (account === undefined) return;
    account.isInIndex = false;
    this.close(jobId, account);
  }

  /** Counts cores that tasks of the job have taken; negative: that are free again. */
  count(jobId: JobId, change: number): void {
    if (change === 0) return;
    const account = this.accountOf(jobId);
    account.cores += change;
    if (account.sharer !== null) this.countCores(account.sharer, change);
    this.close(jobId, account);
  }

  /** Returns the reason of a task of this sharer that comes next. */
  reasonFor({ name, cores, rank }: Sharer): ShareReason {
    const { version, kind, sharedBy } = this.setting;
    return kind === 'weighted'
      ? { version, kind, sharedBy, sharer: name, cores, usage: this.usageOf(rank) }
      : { version, kind: 'balanced', sharedBy, sharer: name, cores };
  }

  /** Returns all sharers, in no particular order: those with jobs, and those with usage that is remembered. */
  all(): readonly Sharer[] {
    return [...this.sharers.values()];
  }

  /** Returns the sharers with jobs, in no particular order. */
  active(): readonly Sharer[] {
    return this.all().filter(({ jobs }) => jobs > 0);
  }

  /** Time of the last turn, in milliseconds since the epoch. */
  get time(): number {
    return this.now;
  }

  /** Returns what decides between sharers: cores in use, or usage by weight in core seconds. */
  levelOf({ rank }: Sharer): number {
    return this.isWeighted ? this.usageOf(rank) : rank;
  }

  /** Returns the usage of each sharer at the time of the turn, or of its last count, for another half-life. */
  *usages(): Generator<StoredUsage, void, undefined> {
    for (const sharer of this.sharers.values()) {
      const at = Math.max(this.now, sharer.at);
      yield { name: sharer.name, usage: usageAt(sharer, this.halfLife, at), at };
    }
  }

  /** Reports whether there is something to save. */
  get hasUnsaved(): boolean {
    return this.unsaved.size + this.forgotten.size > 0;
  }

  /** Returns the usage that has changed since the last call, and the sharers that were forgotten. */
  takeUnsaved(): { readonly changed: readonly StoredUsage[]; readonly forgotten: readonly string[] } {
    const changed = [...this.unsaved].map(({ name, usage, at }) => ({ name, usage, at }));
    const forgotten = [...this.forgotten];
    this.unsaved.clear();
    this.forgotten.clear();
    return { changed, forgotten };
  }

  /** Marks all usage as changed. */
  saveAll(): void {
    for (const sharer of this.sharers.values()) this.unsaved.add(sharer);
  }

  private usageOf(rank: number): number {
    return usageOfRank(rank, this.halfLife, this.now);
  }

  private sharerNamed(name: string): Sharer {
    const known = this.sharers.get(name);
    if (known !== undefined) return known;
    const weight = this.weights.get(name) ?? 1;
    const unused = this.isWeighted ? { rank: -Infinity, tie: 0 } : { rank: 0, tie: -Infinity };
    const sharer: Sharer = { name, weight, ...unused, cores: 0, usage: 0, at: 0, jobs: 0, groups: new Set() };
    this.sharers.set(name, sharer);
    return sharer;
  }

  private accountOf(jobId: JobId): JobAccount {
    const known = this.jobs.get(jobId);
    if (known !== undefined) return known;
    const account = { cores: 0, sharer: null, isInIndex: false };
    this.jobs.set(jobId, account);
    return account;
  }

  private close(jobId: JobId, { cores, sharer, isInIndex }: JobAccount): void {
    if (cores !== 0 || isInIndex) return;
    this.jobs.delete(jobId);
    if (sharer === null) return;
    sharer.jobs--;
    this.dropUnused(sharer);
  }

  /** Forgets a sharer without jobs, unless its usage counts for later ones. */
  private dropUnused(sharer: Sharer): void {
    if (!this.isStarted || this.isWeighted || sharer.jobs > 0) return;
    this.forget(sharer);
    this.sharers.delete(sharer.name);
  }

  private forget(sharer: Sharer): void {
    this.unsaved.delete(sharer);
    this.forgotten.add(sharer.name);
  }

  private countCores(sharer: Sharer, change: number): void {
    if (change === 0) return;
    if (!this.isStarted) {
      sharer.cores += change;
      return;
    }
    this.accrue(sharer, this.now);
    this.unsaved.add(sharer);
    this.forgotten.delete(sharer.name);
    sharer.cores += change;
    this.rank(sharer);
  }

  private accrue(sharer: Sharer, until: number): void {
    if (until <= sharer.at) return;
    sharer.usage = usageAt(sharer, this.halfLife, until);
    sharer.at = until;
  }

  private countFrom(sharer: Sharer, at: number): void {
    sharer.at = at;
    this.unsaved.add(sharer);
  }

  private countUntil(at: number): void {
    for (const sharer of this.sharers.values()) {
      if (sharer.cores === 0 || sharer.at >= at) continue;
      this.accrue(sharer, at);
      this.rank(sharer);
    }
  }

  private rank(sharer: Sharer): void {
    const usage = weightedRank(sharer, this.isWeighted ? sharer.weight : 1, this.halfLife);
    const rank = this.isWeighted ? usage : sharer.cores;
    const tie = this.isWeighted ? 0 : usage;
    if (rank === sharer.rank && tie === sharer.tie) return;
    sharer.rank = rank;
    sharer.tie = tie;
    this.order.moved(sharer);
  }

  /** Makes usage of the future as old as the present: the clock was set back. */
  private setBack(): void {
    for (const sharer of this.sharers.values()) {
      if (sharer.at <= this.now + SET_BACK_MS) continue;
      this.countFrom(sharer, this.now);
      this.rank(sharer);
    }
    this.countedAt = Math.min(this.countedAt, partOf(this.now));
  }

  /** Forgets usage that was negligible at the last multiple of the half-life. */
  private forgetUnused(): void {
    this.halvesForgotten = Math.floor(this.now / this.halfLife);
    const since = this.halvesForgotten * this.halfLife;
    for (const sharer of this.sharers.values()) {
      const { name, cores, at } = sharer;
      if (at === 0 || cores > 0 || at > since || usageAt(sharer, this.halfLife, since) >= FORGOTTEN_BELOW)
        continue;
      sharer.usage = 0;
      sharer.at = 0;
      this.rank(sharer);
      this.forget(sharer);
      if (sharer.jobs === 0) this.sharers.delete(name);
    }
  }
}

const partOf = (time: number): number => Math.floor(time / COUNT_EVERY_MS) * COUNT_EVERY_MS;
