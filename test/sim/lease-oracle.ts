import type { JobMessage } from '../../actors/service/job/messages.ts';
import type { JobState } from '../../actors/service/job/state.ts';
import type { LeaseState } from '../../actors/service/lease/state.ts';
import type { JobId, QueueId, WorkerId } from '../../src/core/ids.ts';
import type { StepRequirements } from '../../src/openjd/template/plan.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { QueuePolicySetting } from '../../src/core/records/queue-policy.ts';
import { WIRE_LIMITS } from '../../src/core/wire/limits.ts';
import { isPassedOver, type AttemptsOf } from './avoidance-oracle.ts';
import type { Holding } from '../../src/core/records/holding.ts';
import { HeldAmounts, isSameHolding } from './amounts-oracle.ts';
import { LiveBooks } from './caps-oracle.ts';
import { coresNeeded, mayRun } from './eligibility-oracle.ts';
import { GroupBooks } from './group-caps-oracle.ts';
import { waitsForCanaries } from './guard-rules.ts';
import { isLeasable } from './invariant-frame.ts';
import { PoolBooks } from './pools-oracle.ts';
import { needsOf } from './retry-rule-oracle.ts';
import { taskAt } from './job-snapshot.ts';
import type { FarmView } from './service-view.ts';
import { addUse, advanceOf, ShareLevels, usesBySharer, usesOf, type SharesBefore } from './share-levels.ts';
import { judgeSharedLease } from './share-oracle.ts';
import type { ReservedBefore } from './reservation-rules.ts';
import { Violation } from './violation.ts';

type Take = Extract<JobMessage, { type: 'tasks.take' }>;

/** A ready task with its sort keys. */
interface Candidate {
  readonly job: JobState;
  readonly stepOrder: number;
  readonly index: number;
}

/** Queries of the oracle to the checker. */
export interface LeaseSurroundings {
  readonly view: FarmView;
  readonly now: number;
  readonly isClockSteady: boolean;
  readonly attemptsOf: AttemptsOf;
  /** Workers that were reserved for a step before the turn. */
  readonly reserved: ReservedBefore;
  /** The shares of the farm before the turn. */
  readonly shares: SharesBefore;
  readonly jobOf: (id: JobId) => JobRecord | undefined;
  /** Reports whether the job changed in this unit of work: the lease actor may receive the change later in it. */
  readonly isFresh: (job: JobId) => boolean;
}

const nameOf = (job: JobId, stepOrder: number, index: number): string => `${job}-${stepOrder}-${index}`;

/**
 * Computes the leases of one turn a second time: scans all ready tasks of the farm in the order of
 * docs/contract/lease.md#first-fit and takes each that fits. Shares no code with the lease actor.
 */
export function judgeLeases(
  lease: LeaseState,
  takes: readonly Take[],
  around: LeaseSurroundings,
): Violation | null {
  const picks = new Map<number, Take[]>();
  for (const take of takes) picks.set(take.leaseId, [...(picks.get(take.leaseId) ?? []), take]);
  // A place that is held or tried changes the order (test/sim/guard-rules.ts has the rules for it).
  if (picks.size === 0 || lastsOutage(lease)) return null;
  const books = new Books(lease, around.view, takes);
  const elsewhere = pickedBefore(lease, picks);
  const candidates = candidatesOf(around);
  const levels = levelsBefore(lease, takes, around);
  if (levels === 'unknown') return null;
  for (const [leaseId, ofLease] of picks) {
    const request = lease.pending.get(leaseId)?.request;
    if (request === undefined)
      return new Violation('a lease stays pending until its jobs have answered', String(leaseId));
    const mine = new Set<string>();
    for (const take of ofLease) {
      for (const name of tasksOf(take)) {
        if (mine.has(name) || elsewhere.has(name)) return new Violation('a task is picked once', name);
        mine.add(name);
      }
    }
    const judged: JudgedLease = { request, takes: ofLease, mine, elsewhere };
    const wrong =
      levels === null
        ? walk(candidates, judged, books, around)
        : walkShared(candidates, judged, books, around, levels);
    if (wrong !== null) return wrong;
    for (const name of tasksOfAll(ofLease)) elsewhere.add(name);
  }
  return null;
}

/** A lease with the names of its tasks, and of those of other leases. */
interface JudgedLease {
  readonly request: { readonly workerId: WorkerId; readonly queueId: QueueId | null };
  readonly takes: readonly Take[];
  readonly mine: ReadonlySet<string>;
  readonly elsewhere: ReadonlySet<string>;
}

function walk(
  candidates: readonly Candidate[],
  { request, takes, mine, elsewhere }: JudgedLease,
  books: Books,
  { view, isFresh, attemptsOf, reserved }: LeaseSurroundings,
): Violation | null {
  const worker = view.workers.find(({ record }) => record.id === request.workerId)?.record;
  if (worker === undefined) return new Violation('only a registered worker gets a lease', request.workerId);
  const only = reservationOf(request.workerId, takes, reserved, view.lease.reservations);
  // Tasks of a job that has just changed may be picked although they are not ready any more: the job rejects them.
  const ready = new Set(
    candidates.map(({ job, stepOrder, index }) => nameOf(job.record.id, stepOrder, index)),
  );
  const fresh = takes.filter(({ pick }) => isFresh(pick.jobId));
  const stale = fresh.flatMap((take) => {
    // So are tasks that were picked for the requirements before a retry rule raised them.
    const job = view.jobs.find(({ record }) => record.id === take.pick.jobId);
    const raises = (job?.steps[take.pick.stepOrder]?.record.raised ?? []).reduce(
      (sum, { times }) => sum + times,
      0,
    );
    return tasksOf(take).filter((name) => !ready.has(name) || raises !== (take.pick.raises ?? 0));
  });
  const left = new Set(mine);
  const steps = new Set<string>();
  for (const { job, stepOrder, index } of candidates) {
    const name = nameOf(job.record.id, stepOrder, index);
    const isMine = mine.has(name);
    if (!isMine && elsewhere.has(name)) continue;
    if (isMine && stale.includes(name)) continue;
    const { queueId } = job.record;
    const step = job.steps[stepOrder];
    if (step === undefined) continue;
    const needs = needsOf(step);
    const cores = coresNeeded(worker, needs);
    const holding = books.amountsOf(worker.id).next(worker, needs, view.farm.record.bookedAmounts);
    const fits =
      (request.queueId === null || request.queueId === queueId) &&
      mayRun(worker, queueId, needs) &&
      (only === undefined || (only.jobId === job.record.id && only.stepOrder === stepOrder)) &&
      !isPassedOver(view, attemptsOf, worker.id, job, stepOrder, index) &&
      cores <= worker.cpuCount - books.coresOf(worker.id) &&
      holding !== null &&
      hasRoom(view, books, queueId) &&
      (books.jobs.hasRoom(job, stepOrder) || (isMine && isFresh(job.record.id))) &&
      (books.groups.hasRoom(job) || (isMine && isFresh(job.record.id))) &&
      books.pools.hasRoom(needs, worker.id);
    if (isMine && !fits) return new Violation('only a task that fits is taken', `${name} by ${worker.id}`);
    if (isMine) {
      const take = takes.find(({ pick }) => pick.jobId === job.record.id && pick.stepOrder === stepOrder);
      if (take?.pick.cores !== cores)
        return new Violation('a task takes the cores that it declares', `${name}: ${take?.pick.cores ?? 0}`);
      const held = holdingOf(take, index);
      // Unknown tasks of a job that has just changed hold some of the amounts.
      if (stale.length === 0 && holding !== null && !isSameHolding(held, holding))
        return new Violation(
          'a task takes the amounts that its farm books',
          `${name}: ${JSON.stringify(held)} instead of ${JSON.stringify(holding)}`,
        );
      books.take(worker.id, queueId, cores, held);
      books.pools.take(needs, worker.id);
      books.jobs.take(job.record.id, stepOrder);
      books.groups.take(job);
      steps.add(`${job.record.id}-${stepOrder}`);
      left.delete(name);
      continue;
    }
    const isFull = mine.size >= WIRE_LIMITS.tasksPerLease || steps.size >= WIRE_LIMITS.stepsPerLease;
    if (!fits || (left.size === 0 && isFull) || isFresh(job.record.id) || stale.length > 0) continue;
    return new Violation(
      'no candidate that fits is passed over',
      `${worker.id} (${worker.name}) gets ${[...mine].join(', ')} instead of ${name} with the priority ${job.record.priority}`,
    );
  }
  for (const name of stale) left.delete(name);
  return left.size === 0
    ? null
    : new Violation('only a candidate is taken', `${[...left].join(', ')} to ${worker.id}`);
}

interface SharesInTurn {
  readonly setting: QueuePolicySetting;
  readonly levels: ShareLevels;
}

/**
 * Returns the levels of sharers before the leases of the turn; null if the farm is not shared. Unknown in the unit of work
 * that changes the policy, and if a job with cores in use was deleted.
 */
function levelsBefore(
  lease: LeaseState,
  takes: readonly Take[],
  { view, now, shares, jobOf, isFresh }: LeaseSurroundings,
): SharesInTurn | null | 'unknown' {
  const setting = view.farm.record.queuePolicy;
  if (shares.version !== (setting?.version ?? 0) || lease.queuePolicyVersion !== shares.version)
    return 'unknown';
  if (setting === undefined || setting.kind === 'fifo') return null;
  const uses = usesOf(lease);
  for (const { pick } of takes) {
    const taken = pick.ranges.reduce((sum, { count }) => sum + count, 0) * pick.cores;
    addUse(uses, pick, -taken);
  }
  const jobs = new Map(view.jobs.map((job) => [job.record.id, job]));
  // Tasks that are being taken back from a job that is paused or has ended count for no sharer.
  const known = new Set([...lease.index.allSteps()].map(({ jobId }) => jobId));
  const counted = new Map([...uses].filter(([, { jobId }]) => known.has(jobId)));
  const bySharer = usesBySharer(counted, setting, jobOf, ({ jobId, stepOrder }) =>
    advanceOf(jobs.get(jobId), stepOrder, !isFresh(jobId)),
  );
  return bySharer === null ? 'unknown' : { setting, levels: new ShareLevels(setting, shares, bySharer, now) };
}

/** As `walk`, for a shared farm. */
function walkShared(
  candidates: readonly Candidate[],
  { request, takes, mine, elsewhere }: JudgedLease,
  books: Books,
  { view, isFresh, attemptsOf, reserved }: LeaseSurroundings,
  { setting, levels }: SharesInTurn,
): Violation | null {
  const worker = view.workers.find(({ record }) => record.id === request.workerId)?.record;
  if (worker === undefined) return new Violation('only a registered worker gets a lease', request.workerId);
  const only = reservationOf(request.workerId, takes, reserved, view.lease.reservations);
  const named = candidates.flatMap((candidate) => {
    const { job, stepOrder, index } = candidate;
    const step = job.steps[stepOrder];
    const name = nameOf(job.record.id, stepOrder, index);
    if (step === undefined || (elsewhere.has(name) && !mine.has(name))) return [];
    return [{ ...candidate, name, needs: needsOf(step) }];
  });
  const ready = new Set(named.map(({ name }) => name));
  // Tasks of a job that has just changed, which are not ready any more, hold cores that the others do not get.
  if ([...mine].some((name) => !ready.has(name))) {
    const isStale = takes.every(
      (take) => isFresh(take.pick.jobId) || tasksOf(take).every((name) => ready.has(name)),
    );
    return isStale ? null : new Violation('only a candidate is taken', request.workerId);
  }
  const eligible = named.filter(
    ({ job, stepOrder, index, needs }) =>
      (request.queueId === null || request.queueId === job.record.queueId) &&
      mayRun(worker, job.record.queueId, needs) &&
      (only === undefined || (only.jobId === job.record.id && only.stepOrder === stepOrder)) &&
      !isPassedOver(view, attemptsOf, worker.id, job, stepOrder, index),
  );
  const next = (needs: StepRequirements): Holding | null =>
    books.amountsOf(worker.id).next(worker, needs, view.farm.record.bookedAmounts);
  return judgeSharedLease({
    candidates: eligible,
    setting,
    levels,
    size: mine.size,
    isMine: ({ name }) => mine.has(name),
    isFresh: ({ job }) => isFresh(job.record.id),
    advanceOf: ({ job, stepOrder }) => advanceOf(job, stepOrder, !isFresh(job.record.id)),
    coresIfItFits: ({ job, stepOrder, name, needs }) => {
      const cores = coresNeeded(worker, needs);
      const fits =
        cores <= worker.cpuCount - books.coresOf(worker.id) &&
        next(needs) !== null &&
        hasRoom(view, books, job.record.queueId) &&
        (books.jobs.hasRoom(job, stepOrder) || (mine.has(name) && isFresh(job.record.id))) &&
        (books.groups.hasRoom(job) || (mine.has(name) && isFresh(job.record.id))) &&
        books.pools.hasRoom(needs, worker.id);
      return fits ? cores : null;
    },
    take: ({ job, stepOrder, index, name, needs }) => {
      const cores = coresNeeded(worker, needs);
      const take = takes.find(({ pick }) => pick.jobId === job.record.id && pick.stepOrder === stepOrder);
      const version = take?.pick.reason?.version ?? 0;
      if (take?.pick.cores !== cores || version !== setting.version)
        return new Violation(
          'a task takes its cores by the policy',
          `${name}: ${take?.pick.cores ?? 0}, ${version}`,
        );
      const held = holdingOf(take, index);
      const holding = next(needs);
      if (holding !== null && !isSameHolding(held, holding))
        return new Violation(
          'a task takes the amounts that its farm books',
          `${name}: ${JSON.stringify(held)}`,
        );
      books.take(worker.id, job.record.queueId, cores, held);
      books.pools.take(needs, worker.id);
      books.jobs.take(job.record.id, stepOrder);
      books.groups.take(job);
      return null;
    },
  });
}

/**
 * Returns the step that the worker was reserved for when the lease was made. In the turn that ends a reservation, the
 * worker may be served before or after the end; its picks show which.
 */
function reservationOf(
  workerId: WorkerId,
  takes: readonly Take[],
  reserved: ReservedBefore,
  afterwards: LeaseState['reservations'],
): { readonly jobId: JobId; readonly stepOrder: number } | undefined {
  const only = reserved.get(workerId);
  if (only !== undefined && afterwards.get(workerId) === only) return only;
  const isForIt = takes.every(({ pick }) => pick.jobId === only?.jobId && pick.stepOrder === only.stepOrder);
  return isForIt ? only : undefined;
}

/** Resources in use before each lease of a turn: the counts of the lease actor after the turn, without its leases. */
class Books {
  readonly jobs: LiveBooks;
  readonly groups: GroupBooks;
  readonly pools: PoolBooks;
  private readonly lease: LeaseState;
  private readonly cores = new Map<WorkerId, number>();
  private readonly live = new Map<QueueId | null, number>();
  private readonly amounts = new Map<WorkerId, HeldAmounts>();

  constructor(lease: LeaseState, view: FarmView, takes: readonly Take[]) {
    this.lease = lease;
    this.pools = new PoolBooks(lease, view, takes);
    this.jobs = new LiveBooks(lease, takes);
    this.groups = new GroupBooks(lease, view.farm, takes);
    for (const { workerId, pick } of takes) {
      const count = pick.ranges.reduce((sum, range) => sum + range.count, 0);
      this.add(this.cores, workerId, -count * pick.cores);
      for (const holding of pick.holdings ?? []) this.amountsOf(workerId).remove(holding);
      this.add(this.live, null, -count);
      const entry = lease.index.entry(pick.jobId, pick.stepOrder);
      if (entry === undefined) continue;
      this.add(this.live, entry.queueId, -count);
    }
  }

  coresOf(worker: WorkerId): number {
    return (this.lease.workers.get(worker)?.committedCores ?? 0) + (this.cores.get(worker) ?? 0);
  }

  amountsOf(worker: WorkerId): HeldAmounts {
    const known = this.amounts.get(worker) ?? HeldAmounts.of(this.lease.workers.get(worker)?.amounts);
    this.amounts.set(worker, known);
    return known;
  }

  liveOf(queue: QueueId | null): number {
    return this.lease.index.caps.of(queue).live + (this.live.get(queue) ?? 0);
  }

  take(worker: WorkerId, queue: QueueId, cores: number, holding: Holding | undefined): void {
    if (holding !== undefined) this.amountsOf(worker).add(holding);
    this.add(this.cores, worker, cores);
    this.add(this.live, null, 1);
    this.add(this.live, queue, 1);
  }

  private add<Key>(counts: Map<Key, number>, key: Key, change: number): void {
    counts.set(key, (counts.get(key) ?? 0) + change);
  }
}

function hasRoom({ farm }: FarmView, books: Books, queueId: QueueId): boolean {
  const queue = farm.queues.get(queueId);
  if (queue === undefined || queue.paused) return false;
  const ofFarm = farm.record.maxConcurrentTasks;
  if (ofFarm > 0 && books.liveOf(null) >= ofFarm) return false;
  return queue.maxConcurrentTasks === 0 || books.liveOf(queueId) < queue.maxConcurrentTasks;
}

/**
 * Rule 3: priority descending, created ascending, step ascending, task ascending; without tasks that may not be leased
 * now.
 */
function candidatesOf({ view, now, isClockSteady }: LeaseSurroundings): Candidate[] {
  const jobs = view.jobs
    .filter(isLeasable)
    .sort(
      (a, b) =>
        b.record.priority - a.record.priority ||
        a.record.createdAt - b.record.createdAt ||
        (a.record.id < b.record.id ? -1 : 1),
    );
  const candidates: Candidate[] = [];
  for (const job of jobs) {
    for (const step of job.steps) {
      if (step.record.taskCounts.ready === 0 || step.record.hold !== null) continue;
      const stepOrder = step.record.order;
      const held = view.lease.index.entry(job.record.id, stepOrder)?.held;
      for (let index = 0; index < step.record.taskCount; index++) {
        const { status, own } = taskAt(step, index);
        if (status !== 'ready') continue;
        // Due, but its timer has not fired yet. The check at rest asserts that it fires.
        if (held?.has(index) === true) continue;
        if (isClockSteady && (own?.retryAfter ?? 0) > now) continue;
        if (waitsForCanaries(job, step, index)) continue;
        candidates.push({ job, stepOrder, index });
      }
    }
  }
  return candidates;
}

const lastsOutage = ({ outages: { record, locations, probing } }: LeaseState): boolean =>
  locations.size + probing.size > 0 || record.outages.some(({ endedAt }) => endedAt === undefined);

function pickedBefore(lease: LeaseState, now: ReadonlyMap<number, unknown>): Set<string> {
  const picked = new Set<string>();
  for (const [leaseId, { outstanding }] of lease.pending) {
    if (now.has(leaseId)) continue;
    for (const { jobId, stepOrder, ranges } of outstanding) {
      for (const { start, count } of ranges)
        for (let index = start; index < start + count; index++) picked.add(nameOf(jobId, stepOrder, index));
    }
  }
  return picked;
}

const tasksOfAll = (takes: readonly Take[]): string[] => takes.flatMap((take) => tasksOf(take));

/** Returns what a task of the pick takes besides cores. */
function holdingOf({ pick }: Take, index: number): Holding | undefined {
  let position = 0;
  for (const { start, count } of pick.ranges) {
    if (index >= start && index < start + count) return pick.holdings?.[position + index - start];
    position += count;
  }
  return undefined;
}

function tasksOf({ pick }: Take): string[] {
  return pick.ranges.flatMap(({ start, count }) =>
    Array.from({ length: count }, (_, offset) => nameOf(pick.jobId, pick.stepOrder, start + offset)),
  );
}
