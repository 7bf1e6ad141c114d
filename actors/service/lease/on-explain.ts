import type { QueueId } from '../../../src/core/ids.ts';
import type { StepName } from '../../../src/core/lease/candidate-order.ts';
import { coresOf, isEligible, type Demand } from '../../../src/core/lease/eligibility.ts';
import {
  leaseOfTask,
  type CapExplanation,
  type DemandExplanation,
  type Holder,
  type LeaseExplanation,
  type PoolExplanation,
  type ShortAmount,
  type StepExplanation,
  type TaskStanding,
} from '../../../src/core/lease/explanation.ts';
import { slotsPerTask } from '../../../src/core/lease/pool-load.ts';
import type { DoubtedWorker } from '../../../src/core/records/worker-evidence.ts';
import { signatureKey } from '../../../src/core/lease/signatures.ts';
import { ONLINE_WORKERS_SLOT } from '../../../src/core/ports/tallies.ts';
import { lastingOutages } from '../../../src/core/outages/outage.ts';
import { done } from '../../../src/core/problems.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseMessage, StepInQuestion } from './messages.ts';
import { freeCoresOf } from './serve.ts';
import { ShortAmounts, shortagesOf } from './shortages.ts';
import { holdersAmong, holdersOfPool } from './holders.ts';
import type { LeaseState } from './state.ts';
import { placesOf } from './tasks-ahead.ts';
import type { StepEntry } from '../../../src/core/lease/step-entry.ts';

/** Maximum number of steps listed as holders of a cap or pool. */
const HOLDERS_MAX = 20;

/**
 * Explains a waiting task as far as the lease actor knows. Changes nothing. Linear in steps and workers, not in tasks.
 */
export function onTaskExplain(
  state: LeaseState,
  { index, replyTo, ...step }: Extract<LeaseMessage, { type: 'task.explain' }>,
  context: ServiceContext<'lease'>,
): void {
  const [explained] = explainSteps(state, [{ ...step, indices: [index] }], context.now);
  const [task] = explained?.tasks ?? [];
  if (explained === undefined || task === undefined) throw new Error('the task has no explanation');
  context.reply(replyTo, done(leaseOfTask(explained, task)));
}

/**
 * Explains waiting tasks of several steps. Changes nothing. Pages ask for it all the time, so it must not load the jobs
 * of a farm that recovers.
 */
export function onStepsExplain(
  state: LeaseState,
  { steps, replyTo }: Extract<LeaseMessage, { type: 'steps.explain' }>,
  context: ServiceContext<'lease'>,
): void {
  context.reply(replyTo, done(state.recovery === 'ready' ? explainSteps(state, steps, context.now) : []));
}

function explainSteps(state: LeaseState, steps: readonly StepInQuestion[], now: number): StepExplanation[] {
  const entries = steps.map(({ jobId, stepOrder }) => state.index.entry(jobId, stepOrder));
  const places = placesOf(
    state,
    entries.filter((entry) => entry !== undefined),
  );
  const shared = new SharedFacts(state);
  return steps.map((step, at) => {
    const { jobId, stepOrder, queueId, indices } = step;
    const entry = entries[at];
    const lease: LeaseExplanation = {
      isOffered: entry?.open === true,
      heldUntil: null,
      farmCap: shared.cap(null),
      queueCap: shared.cap(queueId),
      ...(entry !== undefined && ownCapsOf(entry)),
      ...(entry !== undefined && groupCapsOf(state, entry)),
      isQueuePaused: state.index.caps.of(queueId).paused,
      pools: step.requirements.pools.map((name) => poolFor(step, shared.pool(name))),
      workers: workersOf(state, step, shared.workers(step)),
      ...((entry === undefined ? undefined : places.get(entry)) ?? { before: { tasks: 0, jobs: 0 } }),
      reservedWorker: state.reservations.workerFor(step) ?? null,
      ...preemptionOf(state, step, entry),
      ...outagesOfStep(state, step, now),
    };
    const tasks = (indices ?? firstOf(entry)).map((index) => standingOf(entry, index));
    return { jobId, stepOrder, lease, tasks };
  });
}

/** Returns the outages that hold a step: of its usage pools, and of the locations of all workers that could run it. */
function outagesOfStep(
  { outages, workers }: LeaseState,
  step: StepInQuestion,
  now: number,
): Pick<LeaseExplanation, 'outages'> {
  const lasting = lastingOutages(outages.record, now);
  if (lasting.length === 0) return {};
  const pools = lasting.filter(
    ({ kind, name }) => kind === 'usage pool' && step.requirements.pools.includes(name),
  );
  const locations = new Set<string>();
  for (const { offer, isOnline } of workers.values())
    if (isOnline && isEligible(offer, step)) locations.add(offer.computeLocation);
  const ofLocations = lasting.filter(({ kind, name }) => kind === 'compute location' && locations.has(name));
  const areAll = locations.size > 0 && ofLocations.length === locations.size;
  const found = areAll ? [...pools, ...ofLocations] : pools;
  return found.length === 0 ? {} : { outages: found };
}

/** Returns when the queue takes back tasks for the step; nothing if it never does. */
function preemptionOf(
  state: LeaseState,
  step: StepInQuestion,
  entry: StepEntry | undefined,
): Pick<LeaseExplanation, 'preemption'> {
  const queue = state.preemption.queues.get(step.queueId);
  if (queue === undefined || queue.afterMs === null) return {};
  const { afterMs, version } = queue;
  const reserved = state.reservations.workerFor(step);
  const isUnderway = reserved !== undefined && state.reservations.get(reserved)?.isPreemption === true;
  const waitsSince = entry === undefined || entry.ready.size === 0 ? null : entry.ready.since;
  return { preemption: { afterMs, waitsSince, isUnderway, version } };
}

const isSameStep = (a: StepName, b: StepName): boolean => a.jobId === b.jobId && a.stepOrder === b.stepOrder;

/** Returns the index of the first ready task, or of a delayed one. */
function firstOf(entry: StepEntry | undefined): readonly number[] {
  if (entry?.open !== true) return [];
  const first = entry.ready.first();
  return first === null ? [...entry.held.keys()].slice(0, 1) : [first];
}

function standingOf(entry: StepEntry | undefined, index: number): TaskStanding {
  const held = entry?.held.get(index);
  return {
    index,
    heldUntil: held?.until ?? null,
    avoided: held?.avoided ?? entry?.ready.avoidedBy(index) ?? [],
    readyBefore: entry?.ready.countBelow(index) ?? 0,
  };
}

/**
 * Explains which workers could run tasks with the given requirements. Changes nothing. Linear in worker kinds per
 * requirement.
 */
export function onDemandsExplain(
  state: LeaseState,
  { queueId, requirements, replyTo }: Extract<LeaseMessage, { type: 'demands.explain' }>,
  context: ServiceContext<'lease'>,
): void {
  const answer = requirements.map((each) => demandOf(state, { queueId, requirements: each }));
  context.reply(replyTo, done(answer));
}

function demandOf(state: LeaseState, demand: Demand): DemandExplanation {
  const { online } = state.kinds;
  const { byReason, nearest } = state.kinds.rejections(demand);
  const eligible = byReason.reduce((remaining, { workers }) => remaining - workers, online);
  const elsewhere = Math.max(0, state.tallies.total(ONLINE_WORKERS_SLOT) - online);
  return { online, elsewhere, eligible, rejected: byReason, nearestMiss: eligible > 0 ? null : nearest };
}

export function onPoolExplain(
  state: LeaseState,
  message: Extract<LeaseMessage, { type: 'pool.explain' }>,
  context: ServiceContext<'lease'>,
): void {
  context.reply(message.replyTo, done(poolHolders(state, message.pool)));
}

function capOf(state: LeaseState, queueId: QueueId | null): CapExplanation {
  const { maxConcurrentTasks, live } = state.index.caps.of(queueId);
  const isReached = maxConcurrentTasks > 0 && live >= maxConcurrentTasks;
  const holders = isReached
    ? largest(holdersAmong(state, (step) => queueId === null || step.queueId === queueId))
    : [];
  return { maxConcurrentTasks, live, holders };
}

/** Returns the caps of the job and of the step itself, as far as there are any. */
function ownCapsOf(entry: StepEntry): Pick<LeaseExplanation, 'jobCap' | 'stepCap'> {
  const { job, maxConcurrentTasks, live } = entry;
  const holders = (steps: Iterable<StepEntry>): readonly Holder[] =>
    largest([...steps].flatMap((step) => (step.live > 0 ? [holderOf(step)] : [])));
  return {
    ...(job.maxConcurrentTasks > 0 && {
      jobCap: {
        maxConcurrentTasks: job.maxConcurrentTasks,
        live: job.live,
        holders: holders(job.steps.values()),
      },
    }),
    ...(maxConcurrentTasks > 0 && { stepCap: { maxConcurrentTasks, live, holders: holders([entry]) } }),
  };
}

/** Returns the caps of the owner and the project of the step's job, as far as there are any. */
function groupCapsOf(
  state: LeaseState,
  { signature: { capGroups } }: StepEntry,
): Pick<LeaseExplanation, 'groupCaps'> {
  if (capGroups.length === 0) return {};
  const groupCaps = capGroups.map((group) => {
    const { by, name, queueId, maxConcurrentTasks, live } = group;
    const isIn = (step: StepEntry): boolean => step.signature.capGroups.includes(group);
    const holders = live >= maxConcurrentTasks ? largest(holdersAmong(state, isIn)) : [];
    return { by, name, queueId, maxConcurrentTasks, live, holders };
  });
  return { groupCaps };
}

const holderOf = ({ jobId, stepOrder, live }: StepEntry): Holder => ({ jobId, stepOrder, live });

function poolOf(state: LeaseState, name: string): PoolExplanation {
  return { name, ...state.pools.stateOf(name), holders: poolHolders(state, name) };
}

/** Adds how many slots one task of the step takes. */
function poolFor({ requirements }: Demand, pool: PoolExplanation): PoolExplanation {
  const needed = slotsPerTask(pool.counts, requirements, pool.name);
  return needed === 1 ? pool : { ...pool, needed };
}

const poolHolders = (state: LeaseState, pool: string): readonly Holder[] =>
  largest(holdersOfPool(state, pool));

const largest = (holders: Holder[]): readonly Holder[] =>
  holders.sort((a, b) => b.live - a.live).slice(0, HOLDERS_MAX);

/** Eligible workers with enough free cores. */
interface RoomyWorkers extends DemandExplanation {
  /** Number of those that are reserved for no step. */
  readonly unreserved: number;
  /** The steps that the others are reserved for. */
  readonly reservedFor: readonly StepName[];
  /** Amounts of which the other eligible workers have too little. Absent if the farm books only cores. */
  readonly short?: readonly ShortAmount[];
  readonly policyVersion?: number;
}

/** Facts that several steps of one message share, each determined once. */
class SharedFacts {
  readonly #state: LeaseState;
  readonly #caps = new Map<QueueId | null, CapExplanation>();
  readonly #pools = new Map<string, PoolExplanation>();
  readonly #workers = new Map<string, RoomyWorkers>();

  constructor(state: LeaseState) {
    this.#state = state;
  }

  cap(queueId: QueueId | null): CapExplanation {
    return once(this.#caps, queueId, () => capOf(this.#state, queueId));
  }

  pool(name: string): PoolExplanation {
    return once(this.#pools, name, () => poolOf(this.#state, name));
  }

  workers(demand: Demand): RoomyWorkers {
    return once(this.#workers, signatureKey(demand), () => roomyWorkers(this.#state, demand));
  }
}

function once<Key, Value>(known: Map<Key, Value>, key: Key, find: () => Value): Value {
  const found = known.get(key) ?? find();
  known.set(key, found);
  return found;
}

function roomyWorkers(state: LeaseState, demand: Demand): RoomyWorkers {
  const short = state.bookedAmounts === null ? null : new ShortAmounts();
  let unreserved = 0;
  const reservedFor: StepName[] = [];
  for (const worker of state.workers.values()) {
    // The cheap test first: most workers of a busy farm are full.
    if (short === null && coresOf(demand.requirements, worker.offer.cpuCount) > freeCoresOf(worker)) continue;
    if (!worker.isOnline || !isEligible(worker.offer, demand)) continue;
    const lacks = shortagesOf(state, worker, demand.requirements);
    short?.add(lacks);
    if (lacks.length > 0) continue;
    const reserved = state.reservations.get(worker.offer.workerId);
    if (reserved === undefined) unreserved++;
    else reservedFor.push(reserved);
  }
  return {
    ...demandOf(state, demand),
    unreserved,
    reservedFor,
    ...(short !== null && { short: short.list() }),
    ...(state.bookedAmounts !== null && { policyVersion: state.bookedAmounts.setting.version }),
  };
}

function workersOf(
  state: LeaseState,
  step: StepInQuestion,
  { unreserved, reservedFor, ...demand }: RoomyWorkers,
): LeaseExplanation['workers'] {
  const own = reservedFor.filter((reserved) => isSameStep(reserved, step)).length;
  const { doubted, passedOver, roomy } = doubtedFor(state, step);
  return {
    ...demand,
    eligible: demand.eligible - passedOver,
    withRoom: Math.max(0, unreserved + own - roomy),
    keptForOthers: reservedFor.length - own,
    avoided: [],
    ...(doubted.length > 0 && { doubted }),
  };
}

/**
 * Returns the workers that could run the step and are kept from it, how many of them are online for other steps, and how
 * many of those have room.
 */
function doubtedFor(
  state: LeaseState,
  step: StepInQuestion,
): { readonly doubted: readonly DoubtedWorker[]; readonly passedOver: number; readonly roomy: number } {
  const entry = state.index.entry(step.jobId, step.stepOrder);
  const doubted: DoubtedWorker[] = [];
  let passedOver = 0;
  let roomy = 0;
  for (const doubt of state.doubts.about(step.jobId, step.stepOrder, state.kinds.online)) {
    const worker = state.workers.get(doubt.workerId);
    if (worker?.takesTasks !== true || !isEligible(worker.offer, step)) continue;
    // Without another eligible worker, it takes the tasks anyway.
    if (worker.isOnline && entry !== undefined && state.index.mayTake(worker.offer, entry)) continue;
    doubted.push(doubt);
    if (!worker.isOnline) continue;
    passedOver++;
    const isReserved = state.reservations.has(doubt.workerId);
    if (!isReserved && shortagesOf(state, worker, step.requirements).length === 0) roomy++;
  }
  return { doubted, passedOver, roomy };
}
