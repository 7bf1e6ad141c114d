import { isEligible } from '../../../src/core/lease/eligibility.ts';
import { unschedulableReason } from '../../../src/core/lease/unschedulable-reason.ts';
import type { WorkerOffer } from '../../../src/core/lease/worker-offer.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseState } from './state.ts';
import type { StepEntry, Signature } from '../../../src/core/lease/step-entry.ts';

/**
 * Maximum number of steps per turn whose jobs are notified that tasks became unschedulable or schedulable. Each job
 * then publishes events of up to a thousand tasks. The next sweep notifies the others, immediately.
 */
export const STEP_NOTIFY_BATCH_SIZE = 20;

/** Records the unschedulable reason that a job reports with an offered step, or null. */
export function recordReportedReason(state: LeaseState, step: StepEntry, reason: string | null): void {
  const { jobId, stepOrder, signature } = step;
  if (reason === null) state.unschedulable.delete(step);
  else state.unschedulable.set({ jobId, stepOrder, signature, reason, readyBefore: -Infinity });
}

/**
 * Notifies jobs of tasks that have been ready for the grace period without an eligible online worker, with the reason
 * (docs/contract/workers.md#unschedulable-tasks).
 */
export function notifyUnschedulable(
  state: LeaseState,
  graceMs: number,
  context: ServiceContext<'lease'>,
): void {
  let reported = 0;
  for (const { signature, steps } of waitingSteps(state)) {
    const reason = unschedulableReason(state, signature);
    if (reason === null) continue;
    for (const step of steps) {
      if (!sweepStep(state, step, reason, graceMs, context)) continue;
      reported++;
      if (reported < STEP_NOTIFY_BATCH_SIZE) continue;
      state.hasPendingNotifications = true;
      return;
    }
  }
}

/** Yields the steps with ready tasks by signature, then those that have no room under their own caps. */
function* waitingSteps({
  index,
}: LeaseState): Generator<{ readonly signature: Signature; readonly steps: readonly StepEntry[] }> {
  for (const signature of index.waitingSignatures()) yield { signature, steps: signature.steps };
  for (const step of index.cappedSteps()) yield { signature: step.signature, steps: [step] };
}

/** Returns whether the job was notified. */
function sweepStep(
  state: LeaseState,
  step: StepEntry,
  reason: string,
  graceMs: number,
  context: ServiceContext<'lease'>,
): boolean {
  const { jobId, stepOrder, signature } = step;
  const known = state.unschedulable.get(step);
  const readyBefore = context.now - graceMs;
  if (known === undefined && step.ready.since > readyBefore) return false;
  if (known?.reason === reason && step.lastReadyAt <= known.readyBefore) return false;
  state.unschedulable.set({ jobId, stepOrder, signature, reason, readyBefore });
  context.send('job', jobId, { type: 'step.unschedulable', stepOrder, reason, readyBefore });
  return true;
}

/** Clears the unschedulable reason of steps that a newly online worker can run. */
export function clearSchedulableOn(
  state: LeaseState,
  offer: WorkerOffer,
  context: ServiceContext<'lease'>,
): void {
  const eligible = state.unschedulable.signatures().filter((signature) => isEligible(offer, signature));
  clearSignatures(state, eligible, context);
}

/** Clears the unschedulable reason of steps that have an eligible worker again. Forgets steps without ready tasks. */
export function clearSchedulable(state: LeaseState, context: ServiceContext<'lease'>): void {
  clearSignatures(state, state.unschedulable.signatures(), context);
}

/** Clears the unschedulable reason of these signatures' steps that have an eligible worker again. */
export function clearSignatures(
  state: LeaseState,
  signatures: Iterable<Signature>,
  context: ServiceContext<'lease'>,
): void {
  let reported = 0;
  for (const signature of signatures) {
    const isSchedulable = unschedulableReason(state, signature) === null;
    for (const { jobId, stepOrder } of state.unschedulable.ofSignature(signature)) {
      const step = state.index.entry(jobId, stepOrder);
      if (step !== undefined && step.ready.size > 0 && !isSchedulable) continue;
      state.unschedulable.delete({ jobId, stepOrder });
      // The job itself clears the reason of tasks that are no longer ready, but not of those that wait for canary tasks.
      if (step === undefined) continue;
      context.send('job', jobId, { type: 'step.schedulable', stepOrder });
      reported++;
      if (reported < STEP_NOTIFY_BATCH_SIZE) continue;
      state.hasPendingNotifications = true;
      return;
    }
  }
}
