import type { JobId } from '../../../src/core/ids.ts';
import { coresOf, isEligible } from '../../../src/core/lease/eligibility.ts';
import { unschedulableReason } from '../../../src/core/lease/unschedulable-reason.ts';
import type { WorkerOffer } from '../../../src/core/lease/worker-offer.ts';
import { done } from '../../../src/core/problems.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseMessage } from './messages.ts';
import { VCPU } from '../../../src/openjd/template/capabilities.ts';
import { freeCoresOf } from './serve.ts';
import { ShortAmounts, shortagesOf } from './shortages.ts';
import type { LeaseState } from './state.ts';
import type { CapGroup, Signature, StepEntry } from '../../../src/core/lease/step-entry.ts';
import {
  WAITING_REASONS,
  type WaitingCause,
  type WaitingExplanation,
} from '../../../src/core/lease/explanation.ts';

/**
 * Maximum number of steps that one reply examines, and of groups that it lists. Bounds the reply to a few milliseconds
 * of the shard.
 */
const STEPS_MAX = 20_000;
const GROUPS_MAX = 50;
const JOBS_NAMED_MAX = 10;

/**
 * Groups the waiting tasks of the farm, or of some of its jobs, by cause. Changes nothing. Linear in steps with ready tasks, not in tasks. While
 * the farm recovers, the reply covers only the jobs known so far: pages poll every few seconds, and must not load all
 * other jobs in one turn.
 */
export function onFarmExplain(
  state: LeaseState,
  { jobIds, replyTo }: Extract<LeaseMessage, { type: 'farm.explain' }>,
  context: ServiceContext<'lease'>,
): void {
  context.reply(replyTo, done(waitingIn(state, jobIds === null ? null : new Set(jobIds))));
}

function waitingIn(state: LeaseState, only: ReadonlySet<JobId> | null): WaitingExplanation {
  const groups = new Groups();
  const roomy = roomyKinds(state);
  const causes = new Map<Signature, WaitingCause>();
  const causeOf = (signature: Signature): WaitingCause => {
    const known = causes.get(signature) ?? causeFor(state, signature, roomy);
    causes.set(signature, known);
    return known;
  };
  let remaining = STEPS_MAX;
  for (const signature of state.index.waitingSignatures()) {
    for (const step of signature.steps) {
      if (remaining-- <= 0) return groups.answer(true);
      if (only?.has(step.jobId) === false) continue;
      groups.add(causeOf(signature), step.jobId, step.ready.size);
    }
  }
  for (const step of state.index.cappedSteps()) {
    if (remaining-- <= 0) return groups.answer(true);
    if (only?.has(step.jobId) === false) continue;
    groups.add(cappedCause(causeOf(step.signature), step), step.jobId, step.ready.size);
  }
  for (const step of state.index.allSteps()) {
    if (remaining-- <= 0) return groups.answer(true);
    if (step.held.size === 0 || only?.has(step.jobId) === false) continue;
    groups.add(heldCause(causeOf(step.signature)), step.jobId, step.held.size);
  }
  return groups.answer(state.recovery !== 'ready');
}

interface RoomyKind {
  readonly offer: WorkerOffer;
  free: number;
}

/** Returns the kinds of workers with free, unreserved cores, each with the maximum of free cores of one worker. */
function roomyKinds(state: LeaseState): readonly RoomyKind[] {
  const kinds = new Map<string, RoomyKind>();
  for (const worker of state.workers.values()) {
    const free = freeCoresOf(worker);
    if (free <= 0 || state.reservations.has(worker.offer.workerId)) continue;
    const kind = kinds.get(worker.offer.signature);
    if (kind === undefined) kinds.set(worker.offer.signature, { offer: worker.offer, free });
    else kind.free = Math.max(kind.free, free);
  }
  return [...kinds.values()];
}

/** Returns the dominant cause that keeps tasks of the signature from being assigned now. */
function causeFor(state: LeaseState, signature: Signature, roomy: readonly RoomyKind[]): WaitingCause {
  const { queueId, requirements } = signature;
  const queue = state.index.caps.of(queueId);
  if (queue.paused) return { reason: 'paused_queue', queueId };
  const pools = requirements.pools.map((pool) => ({ pool, ...state.pools.stateOf(pool) }));
  const missing = pools.find(({ maxConcurrent }) => maxConcurrent === null);
  if (missing !== undefined) return { reason: 'usage_pool_missing', pool: missing.pool };
  const noWorker = state.kinds.hasEligible(signature) ? null : unschedulableReason(state, signature);
  if (noWorker !== null) return { reason: 'workers', unschedulableReason: noWorker };
  if (isReached(state.index.caps.of(null))) return { reason: 'farm_cap' };
  if (isReached(queue)) return { reason: 'queue_cap', queueId };
  const group = signature.capGroups.find(isReached);
  if (group !== undefined) return groupCause(group);
  const full = pools.find(
    ({ inUse, maxConcurrent, hold }) =>
      hold !== undefined || (maxConcurrent !== null && inUse >= maxConcurrent),
  );
  if (full !== undefined) return { reason: 'usage_pool', pool: full.pool };
  const hasRoom = roomy.some(
    ({ offer, free }) => coresOf(requirements, offer.cpuCount) <= free && isEligible(offer, signature),
  );
  if (!hasRoom) return { reason: 'cores' };
  const amount = state.bookedAmounts === null ? null : shortAmountOf(state, signature);
  return amount === null ? { reason: 'order' } : { reason: 'amounts', amount };
}

function groupCause({ by, name, queueId }: CapGroup): WaitingCause {
  const scope = queueId === null ? {} : { queueId };
  return by === 'owner'
    ? { reason: 'owner_cap', owner: name, ...scope }
    : { reason: 'project_cap', project: name, ...scope };
}

/** Returns the amount that keeps tasks of the signature off workers with enough free cores; null if one has room. */
function shortAmountOf(state: LeaseState, signature: Signature): string | null {
  const short = new ShortAmounts();
  for (const worker of state.workers.values()) {
    if (freeCoresOf(worker) <= 0 || state.reservations.has(worker.offer.workerId)) continue;
    if (!isEligible(worker.offer, signature)) continue;
    const lacks = shortagesOf(state, worker, signature.requirements);
    if (lacks.length === 0) return null;
    short.add(lacks.filter(({ name }) => name !== VCPU));
  }
  return short.list()[0]?.name ?? null;
}

const isReached = ({ maxConcurrentTasks, live }: { maxConcurrentTasks: number; live: number }): boolean =>
  maxConcurrentTasks > 0 && live >= maxConcurrentTasks;

/** Returns the cause of a delayed task: its retry delay, unless a stronger cause keeps the whole step waiting. */
function heldCause(cause: WaitingCause): WaitingCause {
  const isWeightier = WAITING_REASONS.indexOf(cause.reason) < WAITING_REASONS.indexOf('retry_after');
  return isWeightier ? cause : { reason: 'retry_after' };
}

/** Returns the cause of a step at the cap of its own or of its job, unless a stronger cause keeps it waiting. */
function cappedCause(cause: WaitingCause, { job }: StepEntry): WaitingCause {
  const isOfJob = job.maxConcurrentTasks > 0 && job.live >= job.maxConcurrentTasks;
  const reason = isOfJob ? 'job_cap' : 'step_cap';
  return WAITING_REASONS.indexOf(cause.reason) < WAITING_REASONS.indexOf(reason) ? cause : { reason };
}

class Groups {
  private readonly groups = new Map<string, { cause: WaitingCause; tasks: number; jobs: Set<JobId> }>();

  add(cause: WaitingCause, jobId: JobId, tasks: number): void {
    const key = JSON.stringify(cause);
    const group = this.groups.get(key) ?? { cause, tasks: 0, jobs: new Set() };
    this.groups.set(key, group);
    group.tasks += tasks;
    group.jobs.add(jobId);
  }

  answer(isPartial: boolean): WaitingExplanation {
    const all = [...this.groups.values()].sort((a, b) => b.tasks - a.tasks);
    const groups = all.slice(0, GROUPS_MAX).map(({ cause, tasks, jobs }) => ({
      ...cause,
      tasks,
      jobs: jobs.size,
      jobIds: [...jobs].slice(0, JOBS_NAMED_MAX),
    }));
    return { groups, isPartial: isPartial || all.length > GROUPS_MAX };
  }
}
