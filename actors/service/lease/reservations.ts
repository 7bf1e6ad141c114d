import type { WorkerId } from '../../../src/core/ids.ts';
import { coresOf } from '../../../src/core/lease/eligibility.ts';
import { timestampOf } from '../../../src/core/timestamp.ts';
import type { ServiceContext } from '../service-system.ts';
import { freeCoresOf, releaseReservation, reindexParkedRequests, serveWorker } from './serve.ts';
import type { LeaseState, LeaseWorker } from './state.ts';
import type { StepEntry } from '../../../src/core/lease/step-entry.ts';
import { stepKey, type StepName } from '../../../src/core/lease/candidate-order.ts';

/** Of the online workers of a farm at most this part is kept free for tasks that starve; at least one may be. */
const RESERVED_SHARE_MAX = 0.1;

/** Gives up what has no purpose any more, and keeps workers free for the steps that starve. */
export function reserve(
  state: LeaseState,
  reservationAfterMs: number,
  context: ServiceContext<'lease'>,
): void {
  for (const [workerId, reservation] of [...state.reservations]) {
    const step = stepThatWaitsFor(state, workerId, reservation);
    if (step === null) releaseReservation(state, workerId, context);
    else if (context.now - reservation.since >= reservationAfterMs) moveOn(state, workerId, step, context);
  }
  const most = Math.max(1, Math.floor(state.kinds.online * RESERVED_SHARE_MAX));
  for (const step of starving(state, reservationAfterMs, context.now)) {
    if (state.reservations.size >= most) return;
    const worker = roomiest(state, step);
    if (worker !== null) keepFree(state, worker, step, context);
  }
}

function keepFree(
  state: LeaseState,
  worker: LeaseWorker,
  step: StepEntry,
  context: ServiceContext<'lease'>,
): void {
  const { jobId, stepOrder } = step;
  state.reservations.set(worker.offer.workerId, { jobId, stepOrder, since: context.now });
  reindexParkedRequests(state, worker);
  context.log('info', 'a worker is kept free for a step that smaller tasks have overtaken for too long', {
    worker_id: worker.offer.workerId,
    job_id: jobId,
    step: String(stepOrder),
    waits_since: timestampOf(step.readySince),
  });
  serveWorker(state, worker, context);
}

/** What runs on the worker does not end: another is kept free in its place, when there is one. */
function moveOn(
  state: LeaseState,
  workerId: WorkerId,
  step: StepEntry,
  context: ServiceContext<'lease'>,
): void {
  const other = roomiest(state, step);
  if (other === null) return;
  releaseReservation(state, workerId, context);
  keepFree(state, other, step, context);
}

/** The step that a worker is kept free for, if it waits still and nothing else keeps it from running there. */
function stepThatWaitsFor(
  state: LeaseState,
  workerId: WorkerId,
  { jobId, stepOrder }: StepName,
): StepEntry | null {
  const step = state.index.entry(jobId, stepOrder);
  const worker = state.workers.get(workerId);
  if (step === undefined || worker?.isOnline !== true) return null;
  return state.index.mayTake(worker.offer, step) && state.index.room(step) > 0 ? step : null;
}

/** The steps that have starved long enough and have no worker yet: the highest priority first, of those the longest waiting. */
function starving(state: LeaseState, afterMs: number, now: number): readonly StepEntry[] {
  const served = new Set([...state.reservations.values()].map(stepKey));
  return state.index
    .overtakenSteps()
    .filter(
      (step) => now - step.readySince >= afterMs && !served.has(stepKey(step)) && state.index.room(step) > 0,
    )
    .sort((a, b) => b.priority - a.priority || a.readySince - b.readySince);
}

/** The worker that could run the step and has the fewest cores to wait for. */
function roomiest(state: LeaseState, step: StepEntry): LeaseWorker | null {
  let best: LeaseWorker | null = null;
  let fewest = Infinity;
  for (const worker of state.workers.values()) {
    const { offer } = worker;
    if (!worker.isOnline || state.reservations.has(offer.workerId)) continue;
    if (!state.index.mayTake(offer, step)) continue;
    const missing = coresOf(step.requirements, offer.cpuCount) - freeCoresOf(worker);
    if (missing >= fewest) continue;
    fewest = missing;
    best = worker;
  }
  return best;
}
