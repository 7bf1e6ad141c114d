import type { WorkerId } from '../../../src/core/ids.ts';
import { NO_DOUBTS } from '../../../src/core/lease/worker-doubts.ts';
import { WorkerAmounts } from '../../../src/core/lease/worker-amounts.ts';
import { offerOf } from '../../../src/core/lease/worker-offer.ts';
import { ONLINE_WORKERS_SLOT } from '../../../src/core/ports/tallies.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseMessage } from './messages.ts';
import {
  replyUnknownWorker,
  freeCores,
  releaseReservation,
  reindexParkedRequests,
  serveAll,
  serveWorker,
} from './serve.ts';
import { replaceUses } from './share-farm.ts';
import type { LeaseState, LeaseWorker } from './state.ts';
import { WorkerUses } from '../../../src/core/lease/worker-uses.ts';
import { clearSchedulableOn } from './unschedulable-sweep.ts';

/** Records the offer of a worker. `exprMemoryBytes`: memory that the server grants one expression. */
export const onWorkerOffered =
  (exprMemoryBytes: number) =>
  (
    state: LeaseState,
    message: Extract<LeaseMessage, { type: 'worker.offered' }>,
    context: ServiceContext<'lease'>,
  ): void => {
    const { record, committedCores, uses, holdings } = message;
    state.pools.setHost(record.id, record.hostname);
    // Requests of an earlier incarnation of the daemon no longer have a receiver.
    if (state.workers.get(record.id)?.incarnation !== record.incarnation)
      dismissRequests(state, record.id, context);
    if (record.status === 'offline') {
      removeWorker(state, record.id, context);
      return;
    }
    const offer = offerOf(record, exprMemoryBytes);
    const takesTasks = record.status === 'online' && record.draining !== true;
    const worker: LeaseWorker = {
      offer,
      incarnation: record.incarnation,
      takesTasks,
      isOnline: takesTasks && !state.doubts.isQuarantined(record.id),
      committedCores,
      amounts: new WorkerAmounts(offer, holdings),
      uses: new WorkerUses(uses),
    };
    if (record.draining === true) dismissRequests(state, record.id, context);
    replaceUses(state, state.workers.get(record.id), worker);
    state.workers.set(record.id, worker);
    recordStanding(state, worker, context);
  };

/** Counts the worker among the online ones, or not, and serves its parked requests. */
export function recordStanding(
  state: LeaseState,
  worker: LeaseWorker,
  context: ServiceContext<'lease'>,
): void {
  if (worker.isOnline) {
    state.kinds.set(worker.offer);
    state.tallies.setShare(state.farmId, ONLINE_WORKERS_SLOT, state.kinds.online);
    clearSchedulableOn(state, worker.offer, context);
  } else {
    removeFromOnline(state, worker.offer.workerId, context);
  }
  reindexParkedRequests(state, worker);
  serveWorker(state, worker, context);
}

export function onWorkerRemoved(
  state: LeaseState,
  message: Extract<LeaseMessage, { type: 'worker.removed' }>,
  context: ServiceContext<'lease'>,
): void {
  state.doubts.set(message.workerId, NO_DOUBTS);
  state.asking.delete(message.workerId);
  removeWorker(state, message.workerId, context);
  state.pools.forgetWorker(message.workerId);
}

/** Handles freed cores and amounts of a worker. */
export function onCoresFreed(
  state: LeaseState,
  message: Extract<LeaseMessage, { type: 'cores.freed' }>,
  context: ServiceContext<'lease'>,
): void {
  const worker = state.workers.get(message.workerId);
  if (worker === undefined) return;
  for (const holding of message.holdings ?? []) worker.amounts.remove(holding);
  freeCores(state, worker, message, message.cores);
  serveWorker(state, worker, context);
}

function removeWorker(state: LeaseState, workerId: WorkerId, context: ServiceContext<'lease'>): void {
  replaceUses(state, state.workers.get(workerId), undefined);
  state.workers.delete(workerId);
  dismissRequests(state, workerId, context);
  removeFromOnline(state, workerId, context);
}

/**
 * Removes a worker from the online workers. Releases its reservation; tasks that avoided other workers in its favor may
 * run there now.
 */
function removeFromOnline(state: LeaseState, workerId: WorkerId, context: ServiceContext<'lease'>): void {
  if (state.reservations.has(workerId)) releaseReservation(state, workerId, context);
  const { online } = state.kinds;
  state.kinds.remove(workerId);
  if (state.kinds.online === online) return;
  state.tallies.setShare(state.farmId, ONLINE_WORKERS_SLOT, state.kinds.online);
  const isAvoided = state.index.waitingSignatures().some((signature) => signature.avoiding > 0);
  if (isAvoided || state.doubts.size > 0) serveAll(state, context);
}

function dismissRequests(state: LeaseState, workerId: WorkerId, context: ServiceContext<'lease'>): void {
  for (const request of state.parked.takeAll(workerId)) replyUnknownWorker(request, context);
}
