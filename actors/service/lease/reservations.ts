import type { WorkerId } from '../../../src/core/ids.ts';
import { coresOf } from '../../../src/core/lease/eligibility.ts';
import { timestampOf } from '../../../src/core/timestamp.ts';
import type { ServiceContext } from '../service-system.ts';
import { freeCoresOf, releaseReservation, reindexParkedRequests, serveWorker } from './serve.ts';
import { missingShareOf, shortagesOf } from './shortages.ts';
import type { LeaseState, LeaseWorker } from './state.ts';
import type { Reservation } from '../../../src/core/lease/reservations.ts';
import type { StepEntry } from '../../../src/core/lease/step-entry.ts';
import { compareCandidates } from '../../../src/core/lease/candidate-order.ts';

/** Maximum share of the farm's online workers that are reserved for starving tasks. At least one may be. */
const RESERVED_SHARE_MAX = 0.1;

/** Returns the maximum number of reserved workers. */
export const reservationsMaxOf = ({ kinds }: LeaseState): number =>
  Math.max(1, Math.floor(kinds.online * RESERVED_SHARE_MAX));

/**
 * Releases reservations without a purpose, and moves those that wait too long to another worker. `reservationAfterMs` 0:
 * none are moved.
 */
export function reviewReservations(
  state: LeaseState,
  reservationAfterMs: number,
  context: ServiceContext<'lease'>,
): void {
  for (const [workerId, reservation] of state.reservations.list()) {
    const step = stepThatWaitsFor(state, workerId, reservation);
    if (step === null) releaseReservation(state, workerId, context);
    else if (reservationAfterMs > 0 && context.now - reservation.since >= reservationAfterMs)
      moveReservation(state, workerId, step, context);
  }
}

/** Reserves workers for starving steps. */
export function reserve(
  state: LeaseState,
  reservationAfterMs: number,
  context: ServiceContext<'lease'>,
): void {
  const most = reservationsMaxOf(state);
  for (const step of starvingSteps(state, reservationAfterMs, context.now)) {
    if (state.reservations.size >= most) return;
    const worker = findReservableWorker(state, step);
    if (worker !== null) reserveWorker(state, worker, step, context);
  }
}

function reserveWorker(
  state: LeaseState,
  worker: LeaseWorker,
  step: StepEntry,
  context: ServiceContext<'lease'>,
): void {
  const { jobId, stepOrder } = step;
  state.reservations.set(worker.offer.workerId, { jobId, stepOrder, since: context.now });
  reindexParkedRequests(state, worker);
  context.log('info', 'worker reserved for a starving step', {
    worker_id: worker.offer.workerId,
    job_id: jobId,
    step: String(stepOrder),
    waits_since: timestampOf(step.ready.since),
  });
  serveWorker(state, worker, context);
}

/** Moves a reservation to another worker, if there is one, because the tasks of the reserved worker do not end. */
function moveReservation(
  state: LeaseState,
  workerId: WorkerId,
  step: StepEntry,
  context: ServiceContext<'lease'>,
): void {
  const other = findReservableWorker(state, step);
  if (other === null) return;
  releaseReservation(state, workerId, context);
  reserveWorker(state, other, step, context);
}

/**
 * Returns the step that a worker is reserved for. Null if the step could not run there, or does not wait since before
 * the reservation: after a cancelation and a retry its wait starts again.
 */
function stepThatWaitsFor(
  state: LeaseState,
  workerId: WorkerId,
  { jobId, stepOrder, since }: Reservation,
): StepEntry | null {
  const step = state.index.entry(jobId, stepOrder);
  const worker = state.workers.get(workerId);
  if (step === undefined || step.ready.since > since || worker?.isOnline !== true) return null;
  return state.index.mayTake(worker.offer, step) && state.index.roomOf(step) > 0 ? step : null;
}

/**
 * Returns the steps that starve and have no reservation: by descending priority, then by waiting time, longest first, then
 * in the order of candidates.
 */
function starvingSteps(state: LeaseState, afterMs: number, now: number): readonly StepEntry[] {
  return state.index
    .overtakenSteps()
    .filter(
      (step) =>
        now - step.ready.since >= afterMs &&
        state.reservations.workerFor(step) === undefined &&
        state.index.roomOf(step) > 0,
    )
    .sort((a, b) => b.priority - a.priority || a.ready.since - b.ready.since || compareCandidates(a, b));
}

/**
 * Returns the worker that can run the step and lacks the fewest cores; with booked amounts, the one whose largest
 * missing share is the smallest. Of several, the one with the lowest ordinal.
 */
function findReservableWorker(state: LeaseState, step: StepEntry): LeaseWorker | null {
  let best: LeaseWorker | null = null;
  let fewest = Infinity;
  for (const worker of state.workers.values()) {
    const { offer } = worker;
    if (!worker.isOnline || state.reservations.has(offer.workerId)) continue;
    if (!state.index.mayTake(offer, step)) continue;
    const missing =
      state.bookedAmounts === null
        ? coresOf(step.requirements, offer.cpuCount) - freeCoresOf(worker)
        : missingShareOf(shortagesOf(state, worker, step.signature.requirements));
    if (missing > fewest || (missing === fewest && best !== null && best.offer.ordinal < offer.ordinal))
      continue;
    fewest = missing;
    best = worker;
  }
  return best;
}
