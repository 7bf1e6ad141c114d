import type { WorkerId } from '../../../src/core/ids.ts';
import type { LeaseReply } from '../../../src/core/wire/bus-messages.ts';
import type { AmountLedger } from '../../../src/core/lease/worker-amounts.ts';
import { WIRE_LIMITS } from '../../../src/core/wire/limits.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseState, LeaseWorker } from './state.ts';
import type { Signature } from '../../../src/core/lease/step-entry.ts';
import type { UnansweredRequest } from './pending-leases.ts';
import type { TakenTasks } from '../../../src/core/lease/ready-index.ts';
import { boundsIn, noteProbes, stepsToTry } from './outage-state.ts';
import type { StepName } from '../../../src/core/lease/candidate-order.ts';
import { countUse } from './share-farm.ts';

const BOUNDS = { tasks: WIRE_LIMITS.tasksPerLease, steps: WIRE_LIMITS.stepsPerLease };

export const freeCoresOf = (worker: LeaseWorker): number =>
  worker.isOnline ? worker.offer.cpuCount - worker.committedCores : 0;

/** Returns the amounts of the worker, or null if its farm books only cores. */
export const ledgerOf = (
  { bookedAmounts: farm }: LeaseState,
  { amounts }: LeaseWorker,
): AmountLedger | null => (farm === null ? null : { farm, worker: amounts });

/**
 * Selects tasks for a request and sends `tasks.take` to their jobs. Returns false if there are none, or during
 * recovery.
 */
export function serve(
  state: LeaseState,
  request: UnansweredRequest,
  context: ServiceContext<'lease'>,
): boolean {
  const worker = state.workers.get(request.workerId);
  if (worker === undefined || state.recovery !== 'ready') return false;
  const only = state.reservations.get(request.workerId) ?? null;
  const ledger = ledgerOf(state, worker);
  const { computeLocation } = worker.offer;
  const bounds = boundsIn(state, computeLocation, BOUNDS);
  if (bounds === null) return false;
  const take = (step: StepName | null): TakenTasks[] =>
    state.index.take(worker.offer, request.queueId, freeCoresOf(worker), bounds, step, ledger);
  let taken: TakenTasks[] = [];
  if (only === null)
    for (const step of stepsToTry(state, computeLocation, context.now))
      if (taken.length === 0) taken = take(step);
  if (taken.length === 0) taken = take(only);
  if (taken.length === 0) return false;
  const leaseId = state.pending.begin({ request, outstanding: taken, assignments: [], steps: [] });
  for (const pick of taken) {
    worker.committedCores += pick.count * pick.cores;
    worker.uses.add(pick.jobId, pick.stepOrder, pick.count * pick.cores);
    reindexParkedRequests(state, worker);
    context.send('job', pick.jobId, {
      type: 'tasks.take',
      leaseId,
      workerId: request.workerId,
      workerOrdinal: worker.offer.ordinal,
      pick,
    });
    releaseReservationOf(state, pick, context);
  }
  noteProbes(state, leaseId, taken, computeLocation, context.now);
  return true;
}

/** Releases the reservation for a step of which a task was selected. */
function releaseReservationOf(state: LeaseState, step: StepName, context: ServiceContext<'lease'>): void {
  const workerId = state.reservations.workerFor(step);
  if (workerId !== undefined) releaseReservation(state, workerId, context);
}

/** Releases the reservation of a worker. */
export function releaseReservation(
  state: LeaseState,
  workerId: WorkerId,
  context: ServiceContext<'lease'>,
): void {
  state.reservations.delete(workerId);
  const worker = state.workers.get(workerId);
  if (worker === undefined) return;
  reindexParkedRequests(state, worker);
  serveWorker(state, worker, context);
}

/** Serves the parked requests of one worker after a change of its cores or offer. */
export function serveWorker(state: LeaseState, worker: LeaseWorker, context: ServiceContext<'lease'>): void {
  for (const request of state.parked.ofWorker(worker.offer.workerId)) {
    if (serve(state, request, context)) state.parked.take(request.workerId, request.queueId);
  }
}

/**
 * Serves the parked requests of some workers, longest waiting first. The order of `workers` may not matter: it is another
 * one after the actor was loaded.
 */
export function serveWorkers(
  state: LeaseState,
  workers: ReadonlySet<WorkerId>,
  context: ServiceContext<'lease'>,
): void {
  if (workers.size === 0) return;
  for (const request of state.parked.inOrder()) {
    if (workers.has(request.workerId) && serve(state, request, context))
      state.parked.take(request.workerId, request.queueId);
  }
}

/** Serves parked requests, longest waiting first, while the signature has ready tasks. */
export function serveSignature(
  state: LeaseState,
  signature: Signature,
  context: ServiceContext<'lease'>,
): void {
  serveReservedFor(state, signature, context);
  if (state.parked.size === 0) return;
  for (const request of state.parked.waitingFor(signature)) {
    if (signature.steps.length === 0 || state.index.room(signature) <= 0) return;
    if (serve(state, request, context)) state.parked.take(request.workerId, request.queueId);
    // Otherwise only tasks that this worker has failed are left, it is kept from the steps, or its host has no slot.
    else if (
      signature.avoiding === 0 &&
      state.doubts.size === 0 &&
      state.outages.locations.size === 0 &&
      !state.pools.dependsOnHost(signature.requirements)
    )
      return;
  }
}

/** Serves parked requests for all ready tasks, after a cap or a pause was lifted. */
export function serveAll(state: LeaseState, context: ServiceContext<'lease'>): void {
  serveReserved(state, context);
  for (const signature of state.index.waitingSignatures()) serveSignature(state, signature, context);
}

/** Serves parked requests for steps that have room under the caps of their own or of their job again. */
export function serveRelisted(state: LeaseState, context: ServiceContext<'lease'>): void {
  for (const signature of state.index.takeRelisted()) serveSignature(state, signature, context);
}

/** Serves parked requests for ready tasks that require the pool, after a slot was freed. */
export function servePool(state: LeaseState, pool: string, context: ServiceContext<'lease'>): void {
  serveReserved(state, context);
  for (const signature of state.index.waitingSignatures()) {
    if (signature.requirements.pools.includes(pool)) serveSignature(state, signature, context);
  }
}

/**
 * Serves parked requests for tasks of pools that count hosts, after a host has taken a slot: its other workers have room
 * for such tasks now.
 */
export function serveHosts(state: LeaseState, context: ServiceContext<'lease'>): void {
  while (state.pools.takeHostChange())
    for (const signature of state.index.waitingSignatures())
      if (state.pools.dependsOnHost(signature.requirements)) serveSignature(state, signature, context);
}

/**
 * Serves workers that are reserved for a step of the signature. Parked requests of reserved workers belong to no group.
 */
function serveReservedFor(state: LeaseState, signature: Signature, context: ServiceContext<'lease'>): void {
  if (state.reservations.size === 0) return;
  for (const [workerId, { jobId, stepOrder }] of state.reservations.list()) {
    const worker = state.workers.get(workerId);
    if (worker === undefined || state.index.entry(jobId, stepOrder)?.signature !== signature) continue;
    serveWorker(state, worker, context);
  }
}

function serveReserved(state: LeaseState, context: ServiceContext<'lease'>): void {
  for (const [workerId] of state.reservations.list()) {
    const worker = state.workers.get(workerId);
    if (worker !== undefined) serveWorker(state, worker, context);
  }
}

/** Frees committed cores of a worker that tasks of a step held, and reindexes its parked requests. */
export function freeCores(state: LeaseState, worker: LeaseWorker, step: StepName, cores: number): void {
  worker.committedCores -= cores;
  countUse(state, worker, step, -cores);
  reindexParkedRequests(state, worker);
}

/** Reindexes the parked requests of a worker. A reserved worker counts as full for all other steps. */
export function reindexParkedRequests(state: LeaseState, worker: LeaseWorker): void {
  const { offer } = worker;
  state.parked.regroup(offer.workerId, offer, coresForAll(state, worker), ledgerOf(state, worker));
}

const coresForAll = (state: LeaseState, worker: LeaseWorker): number =>
  state.reservations.has(worker.offer.workerId) ||
  state.outages.locations.get(worker.offer.computeLocation) === 0
    ? 0
    : freeCoresOf(worker);

/** Parks a request. Replies empty to an earlier one of the same worker and queue, which it replaces. */
export function park(state: LeaseState, request: UnansweredRequest, context: ServiceContext<'lease'>): void {
  const worker = state.workers.get(request.workerId);
  if (worker === undefined) {
    replyEmpty(request, context);
    return;
  }
  const cores = coresForAll(state, worker);
  const replaced = state.parked.park(request, worker.offer, cores, ledgerOf(state, worker));
  if (replaced !== null) replyEmpty(replaced, context);
  if (state.parked.size === 1) armHold(state, context);
}

/** Sets the timer for the end of the oldest hold. */
export function armHold(state: LeaseState, context: ServiceContext<'lease'>): void {
  const end = state.parked.nextEnd();
  if (end !== null) context.after('hold', Math.max(0, end - context.now), { type: 'hold.expired' });
}

export function replyEmpty(request: UnansweredRequest, context: ServiceContext<'lease'>): void {
  const reply: LeaseReply = { v: 1, type: 'leases', assignments: [], steps: {} };
  context.reply(request.replyTo, reply);
}

export function replyUnknownWorker(
  request: Pick<UnansweredRequest, 'replyTo'>,
  context: ServiceContext<'lease'>,
): void {
  const reply: LeaseReply = { v: 1, type: 'unknown' };
  context.reply(request.replyTo, reply);
}
