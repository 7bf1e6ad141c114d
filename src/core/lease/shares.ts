/**
 * A job has an account from its first step in the index or its first core in use until it has neither. `stopped`: the
 * cores of workers are reported, nothing is leased or counted; `start` ends it. Invariants: the cores of a sharer, and
 * what they count in advance, are those of its jobs in the index; started, each rank belongs to the use of its sharer
 * as of the last count, and to the half-life of the turn; usage follows from the saved usage, the cores in use and the
 * time.
 */

import type { JobId, QueueId } from '../ids.ts';
import type { QueuePolicySetting, SharedBy, ShareReason } from '../records/queue-policy.ts';
import { orderByRank, ShareOrder } from './share-order.ts';
import type { Sharer } from './step-entry.ts';
import { advanceMsOf, halfLifeMs, shareLevel, turnsOfLevel, usageAt, usageOfLevel } from './share-usage.ts';

/** Fields of a step that can name its sharer, and the average run time of its tasks. */
export interface SharedStep {
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly meanMs: number | null;
  readonly queueId: QueueId;
  readonly owner: string;
  readonly project: string;
}

const SHARER_NAMES: Readonly<Record<SharedBy, (step: Omit<SharedStep, 'stepOrder' | 'meanMs'>) => string>> = {
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

/** Cores in use by tasks of one step. */
interface StepUse {
  cores: number;
  /** Time for which each of them counts in advance. */
  advanceMs: number;
}

interface JobAccount {
  cores: number;
  /** Sum of the core milliseconds for which these cores count in advance. */
  aheadMs: number;
  /** By the order of the steps. */
  readonly steps: Map<number, StepUse>;
  /** Null for a job of which no step is in the index. */
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
  /** Number of the current half-life since the epoch, at whose start negligible usage was last forgotten. */
  private halves = 0;

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
    this.halves = Math.floor(now / this.halfLife);
    let since = now;
    for (const sharer of this.sharers.values()) {
      // Cores in use without stored usage are counted from now on.
      if (sharer.cores > 0 && sharer.at === 0) {
        sharer.at = now;
        this.unsaved.add(sharer);
      }
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
    const isSetBack = now < this.now;
    this.now = now;
    if (isSetBack) this.setBack();
    const end = partOf(now);
    if (end > this.countedAt) {
      const from = Math.max(this.countedAt, end - COUNTED_PARTS_MS_MAX);
      for (let at = from + COUNT_EVERY_MS; at <= end; at += COUNT_EVERY_MS) this.countUntil(at);
      this.countedAt = end;
    }
    const halves = Math.floor(now / this.halfLife);
    if (halves !== this.halves) {
      this.halves = halves;
      for (const sharer of this.sharers.values()) this.rank(sharer);
      this.forgetUnused();
    }
  }

  /** Returns the sharer of a step that is in the index now. */
  join(step: SharedStep): Sharer {
    const sharer = this.sharerNamed(sharerNameOf(step, this.setting.sharedBy));
    const account = this.accountOf(step.jobId);
    account.isInIndex = true;
    this.setPace(account, step.stepOrder, step.meanMs);
    if (account.sharer === sharer) return sharer;
    this.leaveSharer(account);
    account.sharer = sharer;
    sharer.jobs++;
    this.countCores(sharer, account.cores, account.aheadMs);
    return sharer;
  }

  /** Sets the average run time of a step's successful tasks. Null: there are none, or the step is no longer in the index. */
  pace(jobId: JobId, stepOrder: number, meanMs: number | null): void {
    const account = this.jobs.get(jobId);
    if (account !== undefined) this.setPace(account, stepOrder, meanMs);
  }

  /**
   * Records that no step of the job is in the index any longer. Tasks that are being taken back may still hold cores.
   * They count for no sharer from now on, because a restarted service does not know it.
   */
  leave(jobId: JobId): void {
    const account = this.jobs.get(jobId);
    if (account === undefined) return;
    account.isInIndex = false;
    this.leaveSharer(account);
    this.close(jobId, account);
  }

  /** Counts cores that tasks of the step have taken; negative: that are free again. */
  count(jobId: JobId, stepOrder: number, change: number): void {
    if (change === 0) return;
    const account = this.accountOf(jobId);
    const use = useOf(account, stepOrder);
    const ahead = change * use.advanceMs;
    use.cores += change;
    account.cores += change;
    account.aheadMs += ahead;
    if (account.sharer !== null) this.countCores(account.sharer, change, ahead);
    this.close(jobId, account);
  }

  /** Returns the reason of a task of this sharer that comes next. */
  reasonFor({ name, cores, level }: Sharer): ShareReason {
    const { version, kind, sharedBy } = this.setting;
    return kind === 'weighted'
      ? { version, kind, sharedBy, sharer: name, cores, usage: Math.round(this.usageOf(level)) }
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
  levelOf({ level, rank }: Sharer): number {
    return this.isWeighted ? this.usageOf(level) : rank;
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

  private usageOf(level: number): number {
    return usageOfLevel(level, this.halfLife, this.now);
  }

  private sharerNamed(name: string): Sharer {
    const known = this.sharers.get(name);
    if (known !== undefined) return known;
    const weight = this.isWeighted ? (this.weights.get(name) ?? 1) : 1;
    const tie = this.isWeighted ? 0 : -Infinity;
    const use = { cores: 0, aheadMs: 0, usage: 0, at: 0 };
    const sharer: Sharer = {
      name,
      weight,
      level: -Infinity,
      rank: 0,
      tie,
      ...use,
      jobs: 0,
      groups: new Set(),
    };
    this.sharers.set(name, sharer);
    return sharer;
  }

  private accountOf(jobId: JobId): JobAccount {
    const known = this.jobs.get(jobId);
    if (known !== undefined) return known;
    const account = { cores: 0, aheadMs: 0, steps: new Map(), sharer: null, isInIndex: false };
    this.jobs.set(jobId, account);
    return account;
  }

  private close(jobId: JobId, { cores, isInIndex }: JobAccount): void {
    if (cores === 0 && !isInIndex) this.jobs.delete(jobId);
  }

  private leaveSharer(account: JobAccount): void {
    const { sharer, cores, aheadMs } = account;
    if (sharer === null) return;
    account.sharer = null;
    sharer.jobs--;
    this.countCores(sharer, -cores, -aheadMs);
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

  private setPace(account: JobAccount, stepOrder: number, meanMs: number | null): void {
    const advanceMs = advanceMsOf(meanMs);
    const use = useOf(account, stepOrder);
    if (use.advanceMs === advanceMs) return;
    const ahead = use.cores * (advanceMs - use.advanceMs);
    use.advanceMs = advanceMs;
    if (ahead === 0) return;
    account.aheadMs += ahead;
    const { sharer } = account;
    if (sharer === null) return;
    sharer.aheadMs += ahead;
    if (this.isStarted) this.rank(sharer);
  }

  private countCores(sharer: Sharer, change: number, ahead: number): void {
    if (change === 0) return;
    if (!this.isStarted) {
      sharer.cores += change;
      sharer.aheadMs += ahead;
      return;
    }
    this.accrue(sharer, this.now);
    this.unsaved.add(sharer);
    if (this.forgotten.size > 0) this.forgotten.delete(sharer.name);
    sharer.cores += change;
    sharer.aheadMs += ahead;
    this.rank(sharer);
  }

  private accrue(sharer: Sharer, until: number): void {
    if (until <= sharer.at) return;
    sharer.usage = usageAt(sharer, this.halfLife, until);
    sharer.at = until;
  }

  private countUntil(at: number): void {
    for (const sharer of this.sharers.values()) {
      if (sharer.cores === 0 || sharer.at >= at) continue;
      this.accrue(sharer, at);
      this.rank(sharer);
    }
  }

  private rank(sharer: Sharer): void {
    const level = shareLevel(sharer, sharer.weight, this.halfLife);
    const rank = this.isWeighted ? turnsOfLevel(level, this.halves) : sharer.cores;
    const tie = this.isWeighted ? 0 : level;
    sharer.level = level;
    if (rank === sharer.rank && tie === sharer.tie) return;
    sharer.rank = rank;
    sharer.tie = tie;
    this.order.moved(sharer);
  }

  /**
   * Adapts usage of the future after the clock was set back. All of it is saved: what was counted at full minutes does
   * not follow from the stored usage and the present any more. Minutes that come again count for the other sharers.
   */
  private setBack(): void {
    for (const sharer of this.sharers.values()) {
      if (sharer.at <= this.now) continue;
      this.unsaved.add(sharer);
      if (sharer.at <= this.now + SET_BACK_MS) continue;
      sharer.at = this.now;
      this.rank(sharer);
    }
    this.countedAt = Math.min(this.countedAt, partOf(this.now));
  }

  /** Forgets usage that was negligible at the last multiple of the half-life. */
  private forgetUnused(): void {
    const since = this.halves * this.halfLife;
    for (const sharer of this.sharers.values()) {
      const { name, cores, at } = sharer;
      if (at === 0 || cores > 0 || at >= since || usageAt(sharer, this.halfLife, since) >= FORGOTTEN_BELOW)
        continue;
      sharer.usage = 0;
      sharer.at = 0;
      this.rank(sharer);
      this.forget(sharer);
      if (sharer.jobs === 0) this.sharers.delete(name);
    }
  }
}

/** Returns the use of a step, which counts as one without successful tasks at first. */
function useOf({ steps }: JobAccount, stepOrder: number): StepUse {
  const known = steps.get(stepOrder);
  if (known !== undefined) return known;
  const use = { cores: 0, advanceMs: advanceMsOf(null) };
  steps.set(stepOrder, use);
  return use;
}

const partOf = (time: number): number => Math.floor(time / COUNT_EVERY_MS) * COUNT_EVERY_MS;
