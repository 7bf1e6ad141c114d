import type { WorkerId } from '../../../src/core/ids.ts';
import type { LeaseReply } from '../../../src/core/wire/bus-messages.ts';
import { WIRE_LIMITS } from '../../../src/core/wire/limits.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseState, LeaseWorker } from './state.ts';
import type { Signature } from '../../../src/core/lease/step-entry.ts';
import type { UnansweredRequest } from './pending-leases.ts';
import type { StepName } from '../../../src/core/lease/candidate-order.ts';

const BOUNDS = { tasks: WIRE_LIMITS.tasksPerLease, steps: WIRE_LIMITS.stepsPerLease };

export const freeCoresOf = (worker: LeaseWorker): number =>
  worker.isOnline ? worker.offer.cpuCount - worker.committedCores : 0;

/** Picks tasks for a request and asks their jobs for them; false when there is nothing for it, or not everything is known yet. */
export function serve(
  state: LeaseState,
  request: UnansweredRequest,
  context: ServiceContext<'lease'>,
): boolean {
  const worker = state.workers.get(request.workerId);
  if (worker === undefined || state.recovery !== 'done') return false;
  const only = state.reservations.get(request.workerId) ?? null;
  const taken = state.index.take(worker.offer, request.queueId, freeCoresOf(worker), BOUNDS, only);
  if (taken.length === 0) return false;
  const leaseId = state.pending.begin({ request, outstanding: taken, assignments: [], steps: [] });
  for (const pick of taken) {
    adjustCommittedCores(state, worker, pick.count * pick.cores);
    context.send('job', pick.jobId, {
      type: 'tasks.take',
      leaseId,
      workerId: request.workerId,
      workerOrdinal: worker.offer.ordinal,
      pick,
    });
    endReservations(state, pick, context);
  }
  return true;
}

/** A task of the step was taken: who was kept free for it is free again. */
function endReservations(
  state: LeaseState,
  { jobId, stepOrder }: StepName,
  context: ServiceContext<'lease'>,
): void {
  if (state.reservations.size === 0) return;
  for (const [workerId, step] of [...state.reservations]) {
    if (step.jobId === jobId && step.stepOrder === stepOrder) releaseReservation(state, workerId, context);
  }
}

/** The worker is not kept free any more. */
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

/** Serves the parked requests of one worker: its cores or its offer have changed. */
export function serveWorker(state: LeaseState, worker: LeaseWorker, context: ServiceContext<'lease'>): void {
  for (const request of state.parked.ofWorker(worker.offer.workerId)) {
    if (serve(state, request, context)) state.parked.take(request.workerId, request.queueId);
  }
}

/** Serves parked requests, the longest waiting first, for as long as the signature has ready tasks for them. */
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
    // Otherwise nothing is left but tasks that this worker has failed.
    else if (signature.avoiding === 0) return;
  }
}

/** Serves parked requests for everything that is ready: a cap or a pause has been lifted. */
export function serveAll(state: LeaseState, context: ServiceContext<'lease'>): void {
  serveReserved(state, context);
  for (const signature of state.index.waitingSignatures()) serveSignature(state, signature, context);
}

/** Serves parked requests for what is ready and names the pool: a slot of it was given back. */
export function servePool(state: LeaseState, pool: string, context: ServiceContext<'lease'>): void {
  serveReserved(state, context);
  for (const signature of state.index.waitingSignatures()) {
    if (signature.requirements.pools.includes(pool)) serveSignature(state, signature, context);
  }
}

/** A worker that is kept free for a step of the signature stands in no group: what is ready again may end its wait. */
function serveReservedFor(state: LeaseState, signature: Signature, context: ServiceContext<'lease'>): void {
  for (const [workerId, { jobId, stepOrder }] of [...state.reservations]) {
    const worker = state.workers.get(workerId);
    if (worker === undefined || state.index.entry(jobId, stepOrder)?.signature !== signature) continue;
    serveWorker(state, worker, context);
  }
}

function serveReserved(state: LeaseState, context: ServiceContext<'lease'>): void {
  for (const workerId of [...state.reservations.keys()]) {
    const worker = state.workers.get(workerId);
    if (worker !== undefined) serveWorker(state, worker, context);
  }
}

/** Books cores (or gives them back, when negative) and puts the worker's parked requests where they belong. */
export function adjustCommittedCores(state: LeaseState, worker: LeaseWorker, cores: number): void {
  worker.committedCores += cores;
  reindexParkedRequests(state, worker);
}

/** Puts the worker's parked requests where they belong. One that is kept free for a step is there for no other. */
export function reindexParkedRequests(state: LeaseState, worker: LeaseWorker): void {
  state.parked.regroup(worker.offer.workerId, worker.offer, coresForAll(state, worker));
}

const coresForAll = (state: LeaseState, worker: LeaseWorker): number =>
  state.reservations.has(worker.offer.workerId) ? 0 : freeCoresOf(worker);

/** Parks a request; one of the same worker and queue that it replaces is answered empty. */
export function park(state: LeaseState, request: UnansweredRequest, context: ServiceContext<'lease'>): void {
  const worker = state.workers.get(request.workerId);
  if (worker === undefined) {
    replyEmpty(request, context);
    return;
  }
  const replaced = state.parked.park(request, worker.offer, coresForAll(state, worker));
  if (replaced !== null) replyEmpty(replaced, context);
  if (state.parked.size === 1) armHold(state, context);
}

/** Wakes the actor when the oldest hold ends. */
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
