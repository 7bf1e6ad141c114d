import type { JobId, QueueId } from '../ids.ts';
import type { StepRequirements } from '../openjd/plan.ts';
import { compareCandidates, type Candidate } from './candidate-order.ts';
import { coresOf, isEligible, type Demand } from './eligibility.ts';
import { TaskRanges, type TaskRange } from './task-ranges.ts';
import type { WorkerOffer } from './worker-offer.ts';

/**
 * The ready tasks of one farm, by requirement signature (design.md, "The ready index"). A lease looks only at the head
 * of each signature that the worker is eligible for: nothing here is linear in ready tasks, jobs or workers.
 */
export interface StepEntry extends Candidate, Demand {
  readonly ready: TaskRanges;
  /** Ready tasks that are held back: when each may be taken, in milliseconds since the epoch. */
  readonly held: Map<number, number>;
  /** Tasks that are assigned or running. */
  live: number;
  /** Withdrawn steps hand out nothing, but their live tasks still count. */
  open: boolean;
  readonly signature: Signature;
}

/** Tasks of one step, taken out of the index for a worker. */
export interface TakenTasks {
  readonly jobId: JobId;
  readonly stepOrder: number;
  readonly ranges: readonly TaskRange[];
  readonly count: number;
  /** Cores that each takes. */
  readonly cores: number;
}

/** What one lease hands out at the most, however many cores the worker has. */
export interface LeaseBounds {
  readonly tasks: number;
  readonly steps: number;
}

/** Steps with the same demand. */
export interface Signature extends Demand {
  readonly key: string;
  /** Those that have something ready, in the order of candidates. */
  readonly steps: StepEntry[];
  /** How many steps have this demand, ready or not. */
  members: number;
}

interface Limit {
  maxConcurrentTasks: number;
  paused: boolean;
  live: number;
}

const stepKey = (jobId: JobId, stepOrder: number): string => `${jobId}/${stepOrder}`;

export class ReadyIndex {
  private readonly steps = new Map<string, StepEntry>();
  private readonly stepsOfJob = new Map<JobId, Set<StepEntry>>();
  private readonly signatures = new Map<string, Signature>();
  /** Signatures that workers of one offer signature are eligible for. */
  private readonly eligible = new Map<string, Signature[]>();
  private readonly farm: Limit = { maxConcurrentTasks: 0, paused: false, live: 0 };
  private readonly queues = new Map<QueueId, Limit>();

  /** All that is known of a step, in place of what was known before. */
  offer(
    step: Candidate & Demand & { readonly live: number },
    ready: Iterable<TaskRange>,
    held: Iterable<{ readonly index: number; readonly until: number }>,
  ): StepEntry {
    this.forget(step.jobId, step.stepOrder);
    const entry: StepEntry = {
      priority: step.priority,
      jobCreatedAt: step.jobCreatedAt,
      jobId: step.jobId,
      stepOrder: step.stepOrder,
      queueId: step.queueId,
      requirements: step.requirements,
      ready: new TaskRanges(ready),
      held: new Map([...held].map(({ index, until }) => [index, until])),
      live: 0,
      open: true,
      signature: this.joinSignature(step),
    };
    this.steps.set(stepKey(step.jobId, step.stepOrder), entry);
    const ofJob = this.stepsOfJob.get(step.jobId);
    if (ofJob === undefined) this.stepsOfJob.set(step.jobId, new Set([entry]));
    else ofJob.add(entry);
    this.countLive(entry, step.live);
    if (entry.ready.size > 0) this.list(entry);
    return entry;
  }

  entry(jobId: JobId, stepOrder: number): StepEntry | undefined {
    return this.steps.get(stepKey(jobId, stepOrder));
  }

  /** Tasks become ready; the signature that has them now, or null when the step is not offered. */
  addReady(jobId: JobId, stepOrder: number, ranges: Iterable<TaskRange>): Signature | null {
    const entry = this.entry(jobId, stepOrder);
    if (entry?.open !== true) return null;
    const wasEmpty = entry.ready.size === 0;
    for (const range of ranges) entry.ready.add(range);
    if (wasEmpty && entry.ready.size > 0) this.list(entry);
    return entry.signature;
  }

  /** A ready task is held back until a time. */
  hold(jobId: JobId, stepOrder: number, index: number, until: number): void {
    this.entry(jobId, stepOrder)?.held.set(index, until);
  }

  /** A task is ready no longer. */
  removeTask(jobId: JobId, stepOrder: number, index: number): void {
    const entry = this.entry(jobId, stepOrder);
    if (entry === undefined) return;
    entry.held.delete(index);
    if (entry.ready.remove(index) && entry.ready.size === 0) this.unlist(entry);
  }

  /** Nothing of the job is handed out any more; its live tasks count until they settle. */
  withdrawJob(jobId: JobId): void {
    for (const entry of this.stepsOfJob.get(jobId) ?? []) {
      this.unlist(entry);
      entry.ready.takeFirst(entry.ready.size);
      entry.held.clear();
      entry.open = false;
      if (entry.live === 0) this.forget(entry.jobId, entry.stepOrder);
    }
  }

  /** A live task of the step is live no longer; whether that makes room under a cap that was reached, of the queue or of the farm. */
  settle(jobId: JobId, stepOrder: number): boolean {
    const entry = this.entry(jobId, stepOrder);
    if (entry === undefined) return false;
    const limits = [this.farm, this.queueLimit(entry.queueId)];
    const full = limits.filter((limit) => roomOf(limit) <= 0);
    this.countLive(entry, -1);
    if (!entry.open && entry.live === 0) this.forget(jobId, stepOrder);
    return full.some((limit) => roomOf(limit) > 0);
  }

  /** Tasks that were taken could not be had after all; whether that makes room as `settle` does. */
  untake(jobId: JobId, stepOrder: number, count: number): boolean {
    let madeRoom = false;
    for (let each = 0; each < count; each++) {
      if (this.settle(jobId, stepOrder)) madeRoom = true;
    }
    return madeRoom;
  }

  /** How many tasks of a queue are live, or of the whole farm when `queueId` is null. */
  liveTasks(queueId: QueueId | null): number {
    return queueId === null ? this.farm.live : (this.queues.get(queueId)?.live ?? 0);
  }

  limitFarm(maxConcurrentTasks: number): void {
    this.farm.maxConcurrentTasks = maxConcurrentTasks;
  }

  limitQueue(queueId: QueueId, maxConcurrentTasks: number, paused: boolean): void {
    const limit = this.queueLimit(queueId);
    limit.maxConcurrentTasks = maxConcurrentTasks;
    limit.paused = paused;
  }

  /** Signatures of the queue that have something ready, or of all queues when `queueId` is null. */
  *waitingSignatures(queueId: QueueId | null): Generator<Signature> {
    for (const signature of this.signatures.values()) {
      if (signature.steps.length > 0 && (queueId === null || signature.queueId === queueId)) yield signature;
    }
  }

  /**
   * First fit (interface.md, "Lease (assignment) algorithm", rules 2 to 4): walks the candidates in their order and
   * takes each that fits the cores that are left. A step that does not fit is passed over as a whole, because its
   * tasks all cost the same. What is left over for a bound on one lease waits for the worker's next.
   */
  take(worker: WorkerOffer, queueId: QueueId | null, freeCores: number, bounds: LeaseBounds): TakenTasks[] {
    const taken: TakenTasks[] = [];
    let free = freeCores;
    let left = bounds.tasks;
    while (free > 0 && left > 0 && taken.length < bounds.steps) {
      const step = this.firstFitting(worker, queueId, free);
      if (step === null) break;
      const cores = coresOf(step.requirements, worker.cpuCount);
      const count = Math.min(step.ready.size, Math.floor(free / cores), this.room(step.queueId), left);
      const ranges = step.ready.takeFirst(count);
      if (step.ready.size === 0) this.unlist(step);
      this.countLive(step, count);
      taken.push({ jobId: step.jobId, stepOrder: step.stepOrder, ranges, count, cores });
      free -= count * cores;
      left -= count;
    }
    return taken;
  }

  private firstFitting(worker: WorkerOffer, queueId: QueueId | null, free: number): StepEntry | null {
    let best: StepEntry | null = null;
    for (const signature of this.eligibleSignatures(worker)) {
      const head = signature.steps[0];
      if (head === undefined || (queueId !== null && signature.queueId !== queueId)) continue;
      if (coresOf(signature.requirements, worker.cpuCount) > free || this.room(signature.queueId) <= 0)
        continue;
      if (best === null || compareCandidates(head, best) < 0) best = head;
    }
    return best;
  }

  /** How many more tasks the caps of farm and queue let run. */
  private room(queueId: QueueId): number {
    return Math.min(roomOf(this.farm), roomOf(this.queueLimit(queueId)));
  }

  private eligibleSignatures(worker: WorkerOffer): readonly Signature[] {
    const known = this.eligible.get(worker.signature);
    if (known !== undefined) return known;
    const eligible = [...this.signatures.values()].filter((signature) => isEligible(worker, signature));
    this.eligible.set(worker.signature, eligible);
    return eligible;
  }

  private queueLimit(queueId: QueueId): Limit {
    let limit = this.queues.get(queueId);
    if (limit === undefined) {
      limit = { maxConcurrentTasks: 0, paused: false, live: 0 };
      this.queues.set(queueId, limit);
    }
    return limit;
  }

  private countLive(entry: StepEntry, change: number): void {
    entry.live += change;
    this.farm.live += change;
    this.queueLimit(entry.queueId).live += change;
  }

  private joinSignature(demand: Demand): Signature {
    const key = signatureKey(demand);
    let signature = this.signatures.get(key);
    if (signature === undefined) {
      signature = { key, queueId: demand.queueId, requirements: demand.requirements, steps: [], members: 0 };
      this.signatures.set(key, signature);
      this.eligible.clear();
    }
    signature.members++;
    return signature;
  }

  private leaveSignature(signature: Signature): void {
    signature.members--;
    if (signature.members > 0) return;
    this.signatures.delete(signature.key);
    this.eligible.clear();
  }

  private list(entry: StepEntry): void {
    const { steps } = entry.signature;
    steps.splice(placeOf(steps, entry), 0, entry);
  }

  private unlist(entry: StepEntry): void {
    const { steps } = entry.signature;
    const at = placeOf(steps, entry);
    if (steps[at] === entry) steps.splice(at, 1);
  }

  private forget(jobId: JobId, stepOrder: number): void {
    const entry = this.entry(jobId, stepOrder);
    if (entry === undefined) return;
    this.unlist(entry);
    this.countLive(entry, -entry.live);
    this.leaveSignature(entry.signature);
    this.steps.delete(stepKey(jobId, stepOrder));
    const ofJob = this.stepsOfJob.get(jobId);
    ofJob?.delete(entry);
    if (ofJob?.size === 0) this.stepsOfJob.delete(jobId);
  }
}

function roomOf(limit: Limit): number {
  if (limit.paused) return 0;
  return limit.maxConcurrentTasks === 0 ? Infinity : limit.maxConcurrentTasks - limit.live;
}

function signatureKey(demand: Demand): string {
  const { cores, computeLocation, amounts, pools, attributes }: StepRequirements = demand.requirements;
  return JSON.stringify([demand.queueId, cores, computeLocation, amounts, pools, attributes]);
}

/** Where the candidate stands, or would stand, in the sorted list. */
function placeOf(steps: readonly StepEntry[], entry: Candidate): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = steps[middle];
    if (other !== undefined && compareCandidates(other, entry) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
