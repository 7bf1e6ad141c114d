import { stepKey, type StepKey, type StepName } from '../../../src/core/lease/step-name.ts';
import { isEligible } from '../../../src/core/lease/eligibility.ts';
import type { StepEntry } from '../../../src/core/lease/ready-index.ts';
import type { Signature } from '../../../src/core/lease/signatures.ts';
import { unschedulableReason } from '../../../src/core/lease/unschedulable-reason.ts';
import type { WorkerOffer } from '../../../src/core/lease/worker-offer.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseState } from './state.ts';

/**
 * Maximum number of steps per turn whose jobs are notified that tasks became unschedulable or schedulable. Each job
 * then publishes events of up to a thousand tasks. The next sweep notifies the others, immediately.
 */
export const STEP_NOTIFY_BATCH_SIZE = 20;

/** The last notification of a step's job. */
interface ReportedStep extends StepName {
  readonly signature: Signature;
  readonly reason: string;
  /** The notification covers tasks that were ready by this time (milliseconds since the epoch), not later ones. */
  readonly readyBefore: number;
}

/** Steps whose jobs were notified that no online worker can run them. */
export class UnschedulableSteps {
  private readonly steps = new Map<StepKey, ReportedStep>();
  private readonly bySignature = new Map<Signature, Set<StepKey>>();

  get size(): number {
    return this.steps.size;
  }

  get(step: StepName): ReportedStep | undefined {
    return this.steps.get(stepKey(step));
  }

  set(reported: ReportedStep): void {
    this.delete(reported);
    const key = stepKey(reported);
    this.steps.set(key, reported);
    const ofSignature = this.bySignature.get(reported.signature);
    if (ofSignature === undefined) this.bySignature.set(reported.signature, new Set([key]));
    else ofSignature.add(key);
  }

  delete(step: StepName): void {
    const key = stepKey(step);
    const reported = this.steps.get(key);
    if (reported === undefined) return;
    this.steps.delete(key);
    const ofSignature = this.bySignature.get(reported.signature);
    ofSignature?.delete(key);
    if (ofSignature?.size === 0) this.bySignature.delete(reported.signature);
  }

  signatures(): readonly Signature[] {
    return [...this.bySignature.keys()];
  }

  ofSignature(signature: Signature): readonly ReportedStep[] {
    return [...(this.bySignature.get(signature) ?? [])].flatMap((key) => this.steps.get(key) ?? []);
  }
}

/** Records the unschedulable reason that a job reports with an offered step. */
export function recordReportedReason(state: LeaseState, step: StepEntry, reason: string): void {
  const { jobId, stepOrder, signature } = step;
  if (reason === '') state.unschedulable.delete(step);
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
  for (const signature of state.index.waitingSignatures()) {
    const reason = unschedulableReason(state, signature);
    if (reason === null) continue;
    for (const step of signature.steps) {
      if (!sweepStep(state, step, reason, graceMs, context)) continue;
      reported++;
      if (reported < STEP_NOTIFY_BATCH_SIZE) continue;
      state.hasPendingNotifications = true;
      return;
    }
  }
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
  if (known === undefined && step.readySince > readyBefore) return false;
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
      // The job itself clears the reason of tasks that are no longer ready.
      const isReady = step !== undefined && step.ready.size > 0;
      if (isReady && !isSchedulable) continue;
      state.unschedulable.delete({ jobId, stepOrder });
      if (!isReady) continue;
      context.send('job', jobId, { type: 'step.schedulable', stepOrder });
      reported++;
      if (reported < STEP_NOTIFY_BATCH_SIZE) continue;
      state.hasPendingNotifications = true;
      return;
    }
  }
}
