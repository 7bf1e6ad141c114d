import type { ParkedRequest } from '../../src/core/lease/parked-requests.ts';
import type { Signature } from '../../src/core/lease/ready-index.ts';
import type { LeaseReply } from '../../src/core/wire/bus-messages.ts';
import { WIRE_LIMITS } from '../../src/core/wire/limits.ts';
import { replyTo } from '../kernel/address.ts';
import type { ServiceContext } from '../service-world.ts';
import type { LeaseState, LeaseWorker } from './state.ts';

export const freeCoresOf = (worker: LeaseWorker): number =>
  worker.isOnline ? worker.offer.cpuCount - worker.committedCores : 0;

/** Picks tasks for a request and asks their jobs for them; false when there is nothing for it. */
export function serve(state: LeaseState, request: ParkedRequest, context: ServiceContext<'lease'>): boolean {
  const worker = state.workers.get(request.workerId);
  if (worker === undefined) return false;
  const taken = state.index.take(worker.offer, request.queueId, freeCoresOf(worker), {
    tasks: WIRE_LIMITS.tasksPerLease,
    steps: WIRE_LIMITS.stepsPerLease,
  });
  if (taken.length === 0) return false;
  const leaseId = context.newId();
  state.pending.set(leaseId, { request, outstanding: [...taken], assignments: [], steps: {} });
  for (const pick of taken) {
    commitCores(state, worker, pick.count * pick.cores);
    context.send('job', pick.jobId, {
      type: 'tasks.take',
      leaseId,
      workerId: request.workerId,
      workerOrdinal: worker.offer.ordinal,
      pick,
    });
  }
  return true;
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
  while (signature.steps.length > 0) {
    const request = state.parked.firstFor(signature);
    if (request === null || !serve(state, request, context)) return;
    state.parked.take(request.workerId, request.queueId);
  }
}

/** Serves parked requests for everything that is ready: a cap or a pause has been lifted. */
export function serveAll(state: LeaseState, context: ServiceContext<'lease'>): void {
  for (const signature of [...state.index.waitingSignatures(null)]) serveSignature(state, signature, context);
}

/** Books cores (or gives them back, when negative) and puts the worker's parked requests where they belong. */
export function commitCores(state: LeaseState, worker: LeaseWorker, cores: number): void {
  worker.committedCores += cores;
  state.parked.regroup(worker.offer.workerId, worker.offer, freeCoresOf(worker));
}

/** Parks a request; one of the same worker and queue that it replaces is answered empty. */
export function park(state: LeaseState, request: ParkedRequest, context: ServiceContext<'lease'>): void {
  const worker = state.workers.get(request.workerId);
  if (worker === undefined) {
    answerEmpty(request, context);
    return;
  }
  const replaced = state.parked.park(request, worker.offer, freeCoresOf(worker));
  if (replaced !== null) answerEmpty(replaced, context);
  if (state.parked.size === 1) armHold(state, context);
}

/** Wakes the actor when the oldest hold ends. */
export function armHold(state: LeaseState, context: ServiceContext<'lease'>): void {
  const end = state.parked.nextEnd();
  if (end !== null) context.after('hold', Math.max(0, end - context.now), { type: 'hold.ended' });
}

export function answerEmpty(request: ParkedRequest, context: ServiceContext<'lease'>): void {
  const reply: LeaseReply = { v: 1, type: 'leases', assignments: [], steps: {} };
  context.reply(replyTo(request.replyTo), reply);
}

export function answerUnknown(
  request: Pick<ParkedRequest, 'replyTo'>,
  context: ServiceContext<'lease'>,
): void {
  const reply: LeaseReply = { v: 1, type: 'unknown' };
  context.reply(replyTo(request.replyTo), reply);
}
