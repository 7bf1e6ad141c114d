import { stepKey, type StepKey, type StepName } from '../../../src/core/lease/step-name.ts';
import { isEligible } from '../../../src/core/lease/eligibility.ts';
import type { StepEntry } from '../../../src/core/lease/ready-index.ts';
import type { Signature } from '../../../src/core/lease/signatures.ts';
import { unschedulableReason } from '../../../src/core/lease/unschedulable-reason.ts';
import type { WorkerOffer } from '../../../src/core/lease/worker-offer.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseState } from './state.ts';

/**
 * Steps of which jobs are told in one turn that nobody may run their tasks, or that somebody may: each tells its clients of up to a thousand
 * tasks. The others come with the next sweep, at once.
 */
export const STEP_NOTIFY_BATCH_SIZE = 20;

/** What the job of a step was told last. */
interface Told extends StepName {
  readonly signature: Signature;
  readonly reason: string;
  /** It was told of tasks that were ready by then (milliseconds since the epoch): of those that became so later it was not. */
  readonly readyBefore: number;
}

/** Steps of which jobs know that no online worker may run them. */
export class UnschedulableSteps {
  private readonly steps = new Map<StepKey, Told>();
  private readonly bySignature = new Map<Signature, Set<StepKey>>();

  get size(): number {
    return this.steps.size;
  }

  get(step: StepName): Told | undefined {
    return this.steps.get(stepKey(step));
  }

  set(told: Told): void {
    this.delete(told);
    const key = stepKey(told);
    this.steps.set(key, told);
    const ofSignature = this.bySignature.get(told.signature);
    if (ofSignature === undefined) this.bySignature.set(told.signature, new Set([key]));
    else ofSignature.add(key);
  }

  delete(step: StepName): void {
    const key = stepKey(step);
    const told = this.steps.get(key);
    if (told === undefined) return;
    this.steps.delete(key);
    const ofSignature = this.bySignature.get(told.signature);
    ofSignature?.delete(key);
    if (ofSignature?.size === 0) this.bySignature.delete(told.signature);
  }

  signatures(): readonly Signature[] {
    return [...this.bySignature.keys()];
  }

  ofSignature(signature: Signature): readonly Told[] {
    return [...(this.bySignature.get(signature) ?? [])].flatMap((key) => this.steps.get(key) ?? []);
  }
}

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
