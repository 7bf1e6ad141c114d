import type { QueueId, WorkerId } from '../../../src/core/ids.ts';
import { compareCandidates } from '../../../src/core/lease/candidate-order.ts';
import { coresOf, isEligible, type Demand } from '../../../src/core/lease/eligibility.ts';
import type {
  CapExplanation,
  DemandExplanation,
  Holder,
  LeaseExplanation,
  PoolExplanation,
  WorkersExplanation,
} from '../../../src/core/lease/explanation.ts';
import { ONLINE_WORKERS_SLOT } from '../../../src/core/ports/tallies.ts';
import { done } from '../../../src/core/problems.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseMessage } from './messages.ts';
import { freeCoresOf } from './serve.ts';
import type { LeaseState } from './state.ts';
import type { StepEntry, Signature } from '../../../src/core/lease/step-entry.ts';

/** Maximum number of steps listed as holders of a cap or pool. */
const HOLDERS_MAX = 20;

type Explain = Extract<LeaseMessage, { type: 'task.explain' }>;

/**
 * Explains a waiting task as far as the lease actor knows. Changes nothing. Linear in steps and workers, not in tasks.
 */
export function onTaskExplain(state: LeaseState, message: Explain, context: ServiceContext<'lease'>): void {
  const { jobId, stepOrder, index, queueId, requirements } = message;
  const entry = state.index.entry(jobId, stepOrder);
  const held = entry?.held.get(index);
  const answer: LeaseExplanation = {
    isOffered: entry?.open === true,
    heldUntil: held?.until ?? null,
    farmCap: capOf(state, null),
    queueCap: capOf(state, queueId),
    isQueuePaused: state.index.caps.of(queueId).paused,
    pools: requirements.pools.map((name) => poolOf(state, name)),
    workers: workersFor(
      state,
      { queueId, requirements },
      held?.avoided ?? entry?.ready.avoidedBy(index) ?? [],
      (workerId) => {
        const step = state.reservations.get(workerId);
        return step !== undefined && (step.jobId !== jobId || step.stepOrder !== stepOrder);
      },
    ),
    before: entry === undefined ? { tasks: 0, jobs: 0 } : tasksAhead(state, entry, index),
    reservedWorker:
      [...state.reservations].find(([, step]) => step.jobId === jobId && step.stepOrder === stepOrder)?.[0] ??
      null,
  };
  context.reply(message.replyTo, done(answer));
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
    ? holdersAmong(state, (step) => queueId === null || step.queueId === queueId)
    : [];
  return { maxConcurrentTasks, live, holders };
}

function poolOf(state: LeaseState, name: string): PoolExplanation {
  return { name, ...state.pools.stateOf(name), holders: poolHolders(state, name) };
}

const poolHolders = (state: LeaseState, pool: string): readonly Holder[] =>
  holdersAmong(state, (step) => step.requirements.pools.includes(pool));

function holdersAmong(state: LeaseState, holds: (step: StepEntry) => boolean): readonly Holder[] {
  const holders: Holder[] = [];
  for (const step of state.index.allSteps()) {
    const { jobId, stepOrder, live } = step;
    if (live > 0 && holds(step)) holders.push({ jobId, stepOrder, live });
  }
  return holders.sort((a, b) => b.live - a.live).slice(0, HOLDERS_MAX);
}

function workersFor(
  state: LeaseState,
  demand: Demand,
  avoided: WorkersExplanation['avoided'],
  isKeptForOthers: (workerId: WorkerId) => boolean,
): WorkersExplanation {
  let withRoom = 0;
  let keptForOthers = 0;
  for (const worker of state.workers.values()) {
    const needed = coresOf(demand.requirements, worker.offer.cpuCount);
    if (needed > freeCoresOf(worker) || !isEligible(worker.offer, demand)) continue;
    if (isKeptForOthers(worker.offer.workerId)) keptForOthers++;
    else withRoom++;
  }
  return { ...demandOf(state, demand), withRoom, keptForOthers, avoided };
}

/** Counts the ready tasks ahead of the task at `index`, in all steps that compete with its step for a worker. */
function tasksAhead(state: LeaseState, own: StepEntry, index: number): LeaseExplanation['before'] {
  let tasks = own.ready.countBelow(index);
  const jobs = new Set<string>();
  for (const signature of rivalSignatures(state, own)) {
    for (const step of signature.steps) {
      if (step === own) continue;
      if (compareCandidates(step, own) > 0) break;
      tasks += step.ready.size;
      if (step.jobId !== own.jobId) jobs.add(step.jobId);
    }
  }
  return { tasks, jobs: jobs.size };
}

function rivalSignatures(state: LeaseState, own: StepEntry): ReadonlySet<Signature> {
  const signatures = new Set<Signature>([own.signature]);
  for (const offer of state.kinds.eligibleOffers(own)) {
    for (const signature of state.index.eligibleSignatures(offer)) signatures.add(signature);
  }
  return signatures;
}
