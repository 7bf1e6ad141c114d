/**
 * States of a step: open (offers its ready tasks), withdrawn (offers none; its live tasks still count), removed.
 * Invariants: a step is listed in its signature exactly while it has ready tasks and room under its own caps; without
 * room it is in `capped`. Caps and pools count the live tasks of all steps; `overtaken` has exactly the steps that are
 * marked so. Exits: `offer` replaces a step; a withdrawn step
 * is removed with its last live task.
 */

import type { JobId, QueueId, WorkerId } from '../ids.ts';
import {
  compareCandidates,
  stepKey,
  type Candidate,
  type StepKey,
  type StepName,
} from './candidate-order.ts';
import { Caps } from './caps.ts';
import type { Holding } from '../records/holding.ts';
import { coresOf, isEligible, type Demand } from './eligibility.ts';
import type { FarmPools } from './farm-pools.ts';
import { countInGroups, GroupCaps, roomOfGroups } from './group-caps.ts';
import { hasOwnCaps, roomUnderOwnCaps } from './own-caps.ts';
import type { Allows, ReadyTasks } from './ready-tasks.ts';
import { compareHeads, Signatures } from './signatures.ts';
import type { TaskRange } from './task-ranges.ts';
import type { Shares } from './shares.ts';
import type { ShareReason } from '../records/queue-policy.ts';
import type { AmountLedger } from './worker-amounts.ts';
import { FarmDoubts } from './worker-doubts.ts';
import type { WorkerKinds } from './worker-kinds.ts';
import type { WorkerOffer } from './worker-offer.ts';
import type { DelayedTask, JobEntry, StepEntry, Signature } from './step-entry.ts';

/** Input to the index for one step. */
export interface OfferedStep extends Candidate, Demand {
  readonly live: number;
  /** The workers of the live tasks, if the step has usage pools. */
  readonly liveOn?: readonly WorkerId[];
  readonly lastReadyAt: number;
  /** How often retry rules have raised the requirements. Absent is 0. */
  readonly raises?: number;
  /** Owner and project of the job. Absent is empty. */
  readonly owner?: string;
  readonly project?: string;
  /** Average run time of its successful tasks in milliseconds. Absent or null: there are none. */
  readonly meanMs?: number | null;
  /** Caps on the live tasks of the step and of its job. Absent: none. */
  readonly maxConcurrentTasks?: number;
  readonly jobMaxConcurrentTasks?: number;
}

/** Tasks of one step that were taken for a worker. */
export interface TakenTasks {
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly ranges: readonly TaskRange[];
  readonly count: number;
  /** Cores of each task. */
  readonly cores: number;
  /** As in the offer of the step: the job refuses tasks that were selected for lower requirements. */
  readonly raises: number;
  /** Holdings of each task besides cores, in the order of `ranges`. Absent if the farm books only cores. */
  readonly holdings?: readonly Holding[];
  /** Why the first of them came next. Absent if the farm is not shared. */
  readonly reason?: ShareReason;
}

/** Maximum size of one lease, regardless of the worker's cores. */
export interface LeaseBounds {
  readonly tasks: number;
  readonly steps: number;
}

/**
 * The ready tasks of one farm, by requirement signature (docs/architecture.md#the-ready-index). A lease looks only at
 * the head of each signature that the worker is eligible for: nothing here is linear in ready tasks, jobs or workers.
 */
export class ReadyIndex {
  readonly caps = new Caps();
  readonly groupCaps = new GroupCaps();
  private readonly pools: FarmPools;
  private readonly kinds: WorkerKinds;
  private readonly doubts: FarmDoubts;
  private readonly jobs = new Map<JobId, JobEntry>();
  private readonly signatures = new Signatures();
  private readonly overtaken = new Set<StepEntry>();
  /** Steps whose mark has changed since the last call of `takeChangedMarks`. */
  private readonly changedMarks = new Map<StepKey, StepName>();
  private shared: Shares | null = null;
  /** Steps with ready tasks that have no room under their own caps. */
  private readonly capped = new Set<StepEntry>();
  /** Signatures of the steps that have room under their own caps, or under those of their owner or project, again. */
  private readonly relisted = new Set<Signature>();

  constructor(pools: FarmPools, kinds: WorkerKinds, doubts = new FarmDoubts()) {
    this.pools = pools;
    this.kinds = kinds;
    this.doubts = doubts;
  }

  /** The shares of the farm; null if tasks are taken in the order of the contract. */
  get shares(): Shares | null {
    return this.shared;
  }

  /** Changes the order in which tasks are taken. The steps of the index join the shares. */
  shareBy(shares: Shares | null): void {
    this.shared = shares;
    for (const step of this.allSteps()) {
      step.sharer = shares?.join(step) ?? null;
    }
    if (shares === null) return;
    for (const { steps } of this.waitingSignatures()) for (const step of steps) shares.order.list(step);
  }

  /** Replaces all state of a step. */
  offer(step: OfferedStep, ready: ReadyTasks, held: ReadonlyMap<number, DelayedTask>): StepEntry {
    const before = this.entry(step.jobId, step.stepOrder);
    const wasOvertaken = before?.isOvertaken === true;
    const heldBefore = { demand: before?.requirements ?? NO_POOLS, workers: before?.liveOn ?? [] };
    this.removeStep(step.jobId, step.stepOrder);
    const owner = step.owner ?? '';
    const project = step.project ?? '';
    const groups = this.groupCaps.join({ queueId: step.queueId, owner, project });
    const signature = this.signatures.join(step, groups);
    const job = this.jobs.get(step.jobId) ?? newJobEntry();
    this.jobs.set(step.jobId, job);
    job.maxConcurrentTasks = step.jobMaxConcurrentTasks ?? 0;
    if (step.maxConcurrentTasks !== undefined) job.cappedSteps++;
    const entry: StepEntry = {
      priority: step.priority,
      jobCreatedAt: step.jobCreatedAt,
      jobId: step.jobId,
      stepOrder: step.stepOrder,
      job,
      maxConcurrentTasks: step.maxConcurrentTasks ?? 0,
      queueId: signature.queueId,
      requirements: step.requirements,
      ready,
      held: new Map(held),
      live: 0,
      liveOn: [...(step.liveOn ?? [])],
      open: true,
      lastReadyAt: step.lastReadyAt,
      raises: step.raises ?? 0,
      isOvertaken: false,
      owner,
      project,
      meanMs: step.meanMs ?? null,
      sharer: null,
      signature,
      isListed: false,
    };
    if (this.shared !== null) entry.sharer = this.shared.join(entry);
    job.steps.set(step.stepOrder, entry);
    this.countLive(entry, step.live);
    this.pools.recount(heldBefore, { demand: step.requirements, workers: entry.liveOn });
    entry.signature.avoiding += ready.avoiding;
    this.relist(entry);
    // Other steps have room again if a cap was removed.
    if (hasOwnCaps(job) || this.capped.size > 0) this.relistJob(job);
    // The same candidate still waits.
    if (
      wasOvertaken &&
      compareCandidates(before, entry) === 0 &&
      before.signature.key === entry.signature.key
    )
      this.markOvertaken(entry);
    return entry;
  }

  /**
   * Finds the caps of owners and projects of all steps again, after a change of `groupCaps`. Linear in the steps of the
   * farm. Returns the steps that have another signature.
   */
  regroup(): readonly StepEntry[] {
    const moved: StepEntry[] = [];
    for (const entry of this.allSteps()) {
      const groups = this.groupCaps.join(entry);
      const before = entry.signature;
      if (
        groups.length === before.capGroups.length &&
        groups.every((each, at) => each === before.capGroups[at])
      ) {
        this.groupCaps.leave(groups);
        continue;
      }
      if (entry.isListed) this.unlist(entry);
      countInGroups(before.capGroups, -entry.live);
      before.avoiding -= entry.ready.avoiding;
      this.signatures.leave(before);
      this.groupCaps.leave(before.capGroups);
      entry.signature = this.signatures.join(entry, groups);
      entry.signature.avoiding += entry.ready.avoiding;
      countInGroups(groups, entry.live);
      this.relist(entry);
      moved.push(entry);
    }
    return moved;
  }

  entry(jobId: JobId, stepOrder: number): StepEntry | undefined {
    return this.jobs.get(jobId)?.steps.get(stepOrder);
  }

  /**
   * Adds tasks that are ready since `since` (milliseconds since the epoch). Returns their signature, or null if the step
   * is not offered.
   */
  addReady(
    jobId: JobId,
    stepOrder: number,
    ranges: Iterable<TaskRange>,
    since: number,
    avoided: readonly WorkerId[] = [],
  ): Signature | null {
    const entry = this.entry(jobId, stepOrder);
    if (entry?.open !== true) return null;
    entry.lastReadyAt = Math.max(entry.lastReadyAt, since);
    this.change(entry, (ready) => {
      for (const range of ranges) ready.add(range, since, avoided);
    });
    return entry.signature;
  }

  /** Delays a ready task. */
  hold(jobId: JobId, stepOrder: number, index: number, held: DelayedTask): void {
    this.entry(jobId, stepOrder)?.held.set(index, held);
  }

  /** Removes a task that is no longer ready. */
  removeTask(jobId: JobId, stepOrder: number, index: number): void {
    const entry = this.entry(jobId, stepOrder);
    if (entry === undefined) return;
    entry.held.delete(index);
    this.change(entry, (ready) => ready.remove(index));
  }

  /** Stops offering the job's tasks. Its live tasks count until they settle. */
  withdrawJob(jobId: JobId): void {
    for (const entry of this.jobs.get(jobId)?.steps.values() ?? []) {
      this.change(entry, (ready) => ready.clear());
      entry.held.clear();
      entry.open = false;
      if (entry.live === 0) this.forget(entry.jobId, entry.stepOrder);
    }
  }

  /**
   * Counts live tasks of the step that have ended, or could not be assigned. Reports whether a reached cap of the queue
   * or farm has room again. `workers`: those of the tasks, if the step has usage pools. `meanMs`: the average run time of
   * the step's successful tasks in milliseconds; null for none, absent if it has not changed.
   */
  settle(
    jobId: JobId,
    stepOrder: number,
    count = 1,
    workers: readonly WorkerId[] = [],
    meanMs?: number | null,
  ): boolean {
    const entry = this.entry(jobId, stepOrder);
    if (entry === undefined) return false;
    if (meanMs !== undefined && meanMs !== entry.meanMs) {
      entry.meanMs = meanMs;
      this.shared?.pace(jobId, stepOrder, meanMs);
    }
    this.releasePools(entry, workers);
    const madeRoom = this.countLive(entry, -count);
    if (hasOwnCaps(entry.job)) this.relistJob(entry.job);
    if (!entry.open && entry.live === 0) this.forget(jobId, stepOrder);
    return madeRoom;
  }

  /** Returns the signatures of steps that have room under their own caps, or under those of their owner or project, again since the previous call, ordered by their first steps. */
  takeRelisted(): readonly Signature[] {
    if (this.relisted.size === 0) return NO_SIGNATURES;
    const signatures = [...this.relisted].sort(compareHeads);
    this.relisted.clear();
    return signatures;
  }

  /** Returns the steps with ready tasks that have no room under their own caps, in the order of candidates. */
  cappedSteps(): readonly StepEntry[] {
    return [...this.capped].sort(compareCandidates);
  }

  /** Reports whether any step has ready tasks. */
  get hasReady(): boolean {
    return this.signatures.listedSteps > 0 || this.capped.size > 0;
  }

  /** Returns the signatures with ready tasks, ordered by their first steps. */
  waitingSignatures(): readonly Signature[] {
    return this.signatures.waiting();
  }

  /** Returns the waiting steps that later candidates have overtaken, in the order of candidates. */
  overtakenSteps(): readonly StepEntry[] {
    return [...this.overtaken].sort(compareCandidates);
  }

  /** Marks a step as overtaken if it waits. */
  markOvertaken(step: StepEntry): void {
    if (step.isOvertaken || !step.isListed) return;
    step.isOvertaken = true;
    this.overtaken.add(step);
    this.noteMark(step);
  }

  get hasChangedMarks(): boolean {
    return this.changedMarks.size > 0;
  }

  /** Returns the steps that have been marked as overtaken, or no longer are, since the previous call. */
  takeChangedMarks(): readonly StepName[] {
    const changed = [...this.changedMarks.values()];
    this.changedMarks.clear();
    return changed;
  }

  /** Yields every known step. */
  *allSteps(): Generator<StepEntry> {
    for (const { steps } of this.jobs.values()) yield* steps.values();
  }

  /** Reports whether the worker may take any of the step's ready tasks when it has enough free cores. */
  mayTake(worker: WorkerOffer, step: StepEntry): boolean {
    return isEligible(worker, step) && step.ready.countFor(this.allowsFor(worker, step)) > 0;
  }

  /**
   * Returns how many more tasks of the signature may run under the caps and pools, on the worker or, if it is null, on
   * any.
   */
  room(signature: Signature, worker: WorkerId | null = null): number {
    const { capGroups, queueId, requirements } = signature;
    const room = Math.min(this.caps.room(queueId), this.pools.room(requirements, worker));
    return capGroups.length === 0 ? room : Math.min(room, roomOfGroups(capGroups));
  }

  /** Returns how many more tasks of the step may run under all caps and pools. */
  roomOf(step: StepEntry, worker: WorkerId | null = null): number {
    return Math.min(this.room(step.signature, worker), roomUnderOwnCaps(step));
  }

  /** Returns the signatures that workers of this kind are eligible for. */
  eligibleSignatures(worker: WorkerOffer): readonly Signature[] {
    return this.signatures.eligibleFor(worker);
  }

  /**
   * Takes tasks by first fit (docs/contract/lease.md#first-fit): walks the candidates in order and takes each that fits
   * the remaining cores.
   *
   * A step that does not fit is skipped entirely, because its tasks all have the same cost. Cores that remain because
   * of the bounds wait for the worker's next lease. `only` restricts the lease to the step that the worker is reserved
   * for. With a `ledger` (docs/policy.md#booked-amounts), a task also has to fit the remaining amounts, and takes its
   * own of them. In a shared farm (docs/policy.md#queue-policies), each task is taken from the step that comes first
   * after the tasks before it, and the lease ends before a step too many.
   */
  take(
    worker: WorkerOffer,
    queueId: QueueId | null,
    freeCores: number,
    bounds: LeaseBounds,
    only: StepName | null = null,
    ledger: AmountLedger | null = null,
  ): TakenTasks[] {
    const taken: TakenTasks[] = [];
    let exhausted: Set<Signature> | null = null;
    let free = freeCores;
    let left = bounds.tasks;
    while (free > 0 && left > 0 && (this.shared !== null || taken.length < bounds.steps)) {
      const step =
        only === null
          ? this.firstFitting(worker, queueId, free, exhausted, ledger)
          : this.fitting(only, worker, queueId, free, exhausted, ledger);
      if (step === null) break;
      const pick = this.shared === null ? undefined : taken.find((each) => isOfStep(each, step));
      if (pick === undefined && taken.length >= bounds.steps) break;
      const cores = coresOf(step.requirements, worker.cpuCount);
      const allows = this.allowsFor(worker, step);
      const most = this.shared === null ? left : 1;
      const room = this.roomOf(step, worker.workerId);
      const wanted = Math.min(step.ready.countFor(allows), Math.floor(free / cores), room, most);
      const holdings = ledger === null ? null : takeAmounts(ledger, worker, step.signature, wanted);
      const count = this.pools.claim(step.requirements, holdings?.length ?? wanted, worker.workerId);
      for (const unused of holdings?.splice(count) ?? []) ledger?.worker.remove(unused);
      if (count === 0) {
        // Another farm claimed the slots first. If it has released some since, the step may still have room.
        if (this.roomOf(step, worker.workerId) <= 0) (exhausted ??= new Set()).add(step.signature);
        continue;
      }
      const { sharer } = step;
      const isFirst = pick === undefined && sharer !== null;
      const reason = isFirst ? (this.shared?.reasonFor(sharer) ?? null) : null;
      const ranges = this.change(step, (ready) => ready.takeFirst(count, allows));
      this.caught(step);
      this.countLive(step, count);
      this.shared?.count(step.jobId, step.stepOrder, count * cores);
      if (step.requirements.pools.length > 0)
        for (let each = 0; each < count; each++) step.liveOn.push(worker.workerId);
      if (hasOwnCaps(step.job)) this.relistJob(step.job);
      const { jobId, stepOrder, raises } = step;
      if (pick !== undefined) taken[taken.indexOf(pick)] = withTasks(pick, ranges, count, holdings);
      else {
        taken.push(takenOf({ jobId, stepOrder, ranges, count, cores, raises }, holdings, reason));
      }
      free -= count * cores;
      left -= count;
    }
    return taken;
  }

  private firstFitting(
    worker: WorkerOffer,
    queueId: QueueId | null,
    free: number,
    exhausted: ReadonlySet<Signature> | null,
    ledger: AmountLedger | null,
  ): StepEntry | null {
    const compare = this.shared?.order.compare ?? compareCandidates;
    let best: StepEntry | null = null;
    const tooLarge: StepEntry[] = [];
    for (const signature of this.signatures.eligibleFor(worker)) {
      const [first] = signature.steps;
      if (first === undefined) break;
      if (signature.capGroups.length > 0 && roomOfGroups(signature.capGroups) <= 0) continue;
      // No later signature can precede the best candidate.
      if (this.shared === null && best !== null && compare(first, best) > 0) break;
      if (exhausted?.has(signature) === true || this.room(signature, worker.workerId) <= 0) continue;
      const head = this.headFor(worker, signature);
      if (head === undefined) continue;
      const isTooLarge =
        coresOf(signature.requirements, worker.cpuCount) > free ||
        (ledger !== null && !fitsAmounts(ledger, worker, signature));
      if (isTooLarge) tooLarge.push(head);
      else if (queueId !== null && signature.queueId !== queueId) continue;
      else if (best === null || compare(head, best) < 0) best = head;
    }
    if (best === null) return null;
    for (const step of tooLarge) {
      if (step.isOvertaken || compare(step, best) > 0) continue;
      this.markOvertaken(step);
    }
    return best;
  }

  /** Returns the step if the worker may take tasks of it now, or null. */
  private fitting(
    { jobId, stepOrder }: StepName,
    worker: WorkerOffer,
    queueId: QueueId | null,
    free: number,
    exhausted: ReadonlySet<Signature> | null,
    ledger: AmountLedger | null,
  ): StepEntry | null {
    const step = this.entry(jobId, stepOrder);
    if (step === undefined || exhausted?.has(step.signature) === true) return null;
    const fits =
      (queueId === null || step.queueId === queueId) &&
      coresOf(step.requirements, worker.cpuCount) <= free &&
      (ledger === null || fitsAmounts(ledger, worker, step.signature)) &&
      this.roomOf(step, worker.workerId) > 0 &&
      this.mayTake(worker, step) &&
      step.ready.countFor(this.allowsFor(worker, step)) > 0;
    return fits ? step : null;
  }

  /** Returns the first step of the signature with tasks for the worker, or null. */
  private headFor(worker: WorkerOffer, signature: Signature): StepEntry | undefined {
    const order = this.shared?.order;
    if (signature.avoiding === 0 && this.doubts.size === 0)
      return order === undefined ? signature.steps[0] : order.headOf(signature);
    const isAllowed = (step: StepEntry): boolean => step.ready.countFor(this.allowsFor(worker, step)) > 0;
    return order === undefined ? signature.steps.find(isAllowed) : order.allowedHeadOf(signature, isAllowed);
  }

  /**
   * A worker is skipped for tasks that failed on it, and for steps that it is kept from (docs/quarantine.md), while
   * another eligible one is online for which neither is true.
   */
  private allowsFor(worker: WorkerOffer, step: StepEntry): Allows {
    const { signature } = step;
    const kept = this.doubts.against(step, this.kinds.online);
    if (kept.length === 0)
      return (avoided) => !avoided.includes(worker.workerId) || !this.kinds.hasOther(signature, avoided);
    const isKept = kept.includes(worker.workerId);
    return (avoided) =>
      !(isKept || avoided.includes(worker.workerId)) ||
      !this.kinds.hasOther(signature, [...new Set([...avoided, ...kept])]);
  }

  private change<T>(entry: StepEntry, change: (ready: ReadyTasks) => T): T {
    const { avoiding } = entry.ready;
    const result = change(entry.ready);
    entry.signature.avoiding += entry.ready.avoiding - avoiding;
    this.relist(entry);
    return result;
  }

  private list(entry: StepEntry): void {
    this.signatures.list(entry);
    this.shared?.order.list(entry);
  }

  /** Counts tasks that became live, or settled. Reports whether a reached cap of the queue or farm has room again. */
  private countLive(entry: StepEntry, change: number): boolean {
    entry.live += change;
    entry.job.live += change;
    const { capGroups } = entry.signature;
    if (capGroups.length > 0)
      for (const { signatures } of countInGroups(capGroups, change))
        for (const signature of signatures) this.relisted.add(signature);
    return this.caps.count(entry.queueId, change);
  }

  /** Gives back the slots of tasks that ran on these workers. */
  private releasePools({ requirements, liveOn }: StepEntry, workers: readonly WorkerId[]): void {
    if (requirements.pools.length === 0) return;
    const ended = workers.filter((worker) => {
      const at = liveOn.indexOf(worker);
      if (at >= 0) liveOn.splice(at, 1);
      return at >= 0;
    });
    this.pools.release(requirements, ended);
  }

  /** Lists a step in its signature, or removes it there, by its ready tasks and its own caps. */
  private relist(entry: StepEntry): void {
    const hasReady = entry.ready.size > 0;
    const hasRoom = roomUnderOwnCaps(entry) > 0;
    if (hasReady && hasRoom) {
      if (!entry.isListed) this.list(entry);
    } else if (entry.isListed) this.unlist(entry);
    if (hasReady && !hasRoom) this.capped.add(entry);
    else if (this.capped.delete(entry) && hasReady) this.relisted.add(entry.signature);
  }

  /** Lists the steps of a job after a change of its caps or live tasks. */
  private relistJob({ steps }: JobEntry): void {
    for (const step of steps.values()) this.relist(step);
  }

  private unlist(entry: StepEntry): void {
    this.signatures.unlist(entry);
    this.shared?.order.unlist(entry);
    this.caught(entry);
  }

  /** Resets the overtaken mark: tasks of the step were assigned, or it no longer waits. */
  private caught(entry: StepEntry): void {
    if (!entry.isOvertaken) return;
    entry.isOvertaken = false;
    this.overtaken.delete(entry);
    this.noteMark(entry);
  }

  private noteMark({ jobId, stepOrder }: StepName): void {
    const step = { jobId, stepOrder };
    this.changedMarks.set(stepKey(step), step);
  }

  /** Removes a step, and with the last one its job. */
  private forget(jobId: JobId, stepOrder: number): void {
    this.removeStep(jobId, stepOrder);
    this.shared?.pace(jobId, stepOrder, null);
    if (!this.jobs.has(jobId)) this.shared?.leave(jobId);
  }

  /** Removes a step. Its live tasks keep their pool slots. */
  private removeStep(jobId: JobId, stepOrder: number): void {
    const entry = this.entry(jobId, stepOrder);
    if (entry === undefined) return;
    if (entry.isListed) this.unlist(entry);
    this.capped.delete(entry);
    entry.signature.avoiding -= entry.ready.avoiding;
    this.countLive(entry, -entry.live);
    this.signatures.leave(entry.signature);
    this.groupCaps.leave(entry.signature.capGroups);
    if (entry.maxConcurrentTasks > 0) entry.job.cappedSteps--;
    const { steps } = entry.job;
    steps.delete(stepOrder);
    if (steps.size === 0) this.jobs.delete(jobId);
  }
}

const NO_POOLS = { pools: [] };
const NO_SIGNATURES: readonly Signature[] = [];

const newJobEntry = (): JobEntry => ({ steps: new Map(), maxConcurrentTasks: 0, cappedSteps: 0, live: 0 });

/** Reports whether the worker has the amounts of one more task of the signature free. */
const fitsAmounts = (
  { farm, worker: amounts }: AmountLedger,
  worker: WorkerOffer,
  { requirements }: Signature,
): boolean => amounts.fits(farm.demandOf(requirements, worker));

/** Takes the amounts of up to `most` tasks of the signature. */
const takeAmounts = (
  { farm, worker: amounts }: AmountLedger,
  worker: WorkerOffer,
  { requirements }: Signature,
  most: number,
): Holding[] => amounts.take(farm.demandOf(requirements, worker), most);

/** Adds what tasks hold, and why they came next, unless they are null. */
function takenOf(
  tasks: Omit<TakenTasks, 'holdings' | 'reason'>,
  holdings: readonly Holding[] | null,
  reason: ShareReason | null,
): TakenTasks {
  const { jobId, stepOrder, ranges, count, cores, raises } = tasks;
  // Copies by spread would have hidden classes of their own (docs/performance.md).
  if (holdings === null)
    return reason === null ? tasks : { jobId, stepOrder, ranges, count, cores, raises, reason };
  return reason === null
    ? { jobId, stepOrder, ranges, count, cores, raises, holdings }
    : { jobId, stepOrder, ranges, count, cores, raises, holdings, reason };
}

const isOfStep = (tasks: TakenTasks, { jobId, stepOrder }: StepEntry): boolean =>
  tasks.jobId === jobId && tasks.stepOrder === stepOrder;

/** Returns the tasks with more of the same step. */
function withTasks(
  taken: TakenTasks,
  ranges: readonly TaskRange[],
  count: number,
  holdings: readonly Holding[] | null,
): TakenTasks {
  const all = [...taken.ranges];
  for (const range of ranges) {
    const last = all.at(-1);
    if (last !== undefined && last.start + last.count === range.start)
      all[all.length - 1] = { start: last.start, count: last.count + range.count };
    else all.push(range);
  }
  const more = { ...taken, ranges: all, count: taken.count + count };
  return holdings === null ? more : { ...more, holdings: [...(taken.holdings ?? []), ...holdings] };
}
