import { isEligible } from '../../../src/core/lease/eligibility.ts';
import { unschedulableReason } from '../../../src/core/lease/unschedulable-reason.ts';
import type { WorkerOffer } from '../../../src/core/lease/worker-offer.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseState } from './state.ts';
import type { StepEntry, Signature } from '../../../src/core/lease/step-entry.ts';

/**
 * Steps of which jobs are told in one turn that nobody may run their tasks, or that somebody may: each tells its clients of up to a thousand
 * tasks. The others come with the next sweep, at once.
 */
export const STEP_NOTIFY_BATCH_SIZE = 20;

/** A job offers a step and says what it was told of it. */
export function recordReportedReason(state: LeaseState, step: StepEntry, reason: string): void {
  const { jobId, stepOrder, signature } = step;
  if (reason === '') state.unmatched.delete(step);
  else state.unmatched.set({ jobId, stepOrder, signature, reason, readyBefore: -Infinity });
}

/**
 * The sweep of docs/contract/workers.md#unschedulable-tasks: jobs are told of tasks that have been ready for the grace
 * and that no online worker may run, with the reason.
 */
export function sweepUnmatched(state: LeaseState, graceMs: number, context: ServiceContext<'lease'>): void {
  let told = 0;
  for (const signature of state.index.waitingSignatures()) {
    const reason = unschedulableReason(state, signature);
    if (reason === null) continue;
    for (const step of signature.steps) {
      if (!sweepStep(state, step, reason, graceMs, context)) continue;
      told++;
      if (told < STEP_NOTIFY_BATCH_SIZE) continue;
      state.hasPendingNotifications = true;
      return;
    }
  }
}

/** Whether the job was told. */
function sweepStep(
  state: LeaseState,
  step: StepEntry,
  reason: string,
  graceMs: number,
  context: ServiceContext<'lease'>,
): boolean {
  const { jobId, stepOrder, signature } = step;
  const known = state.unmatched.get(step);
  const readyBefore = context.now - graceMs;
  if (known === undefined && step.readySince > readyBefore) return false;
  if (known?.reason === reason && step.lastReadyAt <= known.readyBefore) return false;
  state.unmatched.set({ jobId, stepOrder, signature, reason, readyBefore });
  context.send('job', jobId, { type: 'step.unschedulable', stepOrder, reason, readyBefore });
  return true;
}

/** A worker is online with this offer: steps that it may run are not without a worker any more. */
export function clearMatchedBy(
  state: LeaseState,
  offer: WorkerOffer,
  context: ServiceContext<'lease'>,
): void {
  const eligible = state.unmatched.signatures().filter((signature) => isEligible(offer, signature));
  clearSignatures(state, eligible, context);
}

/** Takes the reason back from every step for which there is a worker now, and forgets those that are not ready any more. */
export function clearMatched(state: LeaseState, context: ServiceContext<'lease'>): void {
  clearSignatures(state, state.unmatched.signatures(), context);
}

/** Takes the reason back from the steps of these signatures for which there is a worker now. */
export function clearSignatures(
  state: LeaseState,
  signatures: Iterable<Signature>,
  context: ServiceContext<'lease'>,
): void {
  let told = 0;
  for (const signature of signatures) {
    const isMatched = unschedulableReason(state, signature) === null;
    for (const { jobId, stepOrder } of state.unmatched.ofSignature(signature)) {
      const step = state.index.entry(jobId, stepOrder);
      // The job takes the reason back by itself from tasks that are not ready any more.
      const isReady = step !== undefined && step.ready.size > 0;
      if (isReady && !isMatched) continue;
      state.unmatched.delete({ jobId, stepOrder });
      if (!isReady) continue;
      context.send('job', jobId, { type: 'step.schedulable', stepOrder });
      told++;
      if (told < STEP_NOTIFY_BATCH_SIZE) continue;
      state.hasPendingNotifications = true;
      return;
    }
  }
}
