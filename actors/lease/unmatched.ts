import type { StepEntry, StepName } from '../../src/core/lease/ready-index.ts';
import type { Signature } from '../../src/core/lease/signatures.ts';
import { unschedulableReason } from '../../src/core/lease/unschedulable-reason.ts';
import type { ServiceContext } from '../service-world.ts';
import type { LeaseState } from './state.ts';

/** What the job of a step was told last, and when the step must be looked at again. */
interface Told extends StepName {
  readonly reason: string;
  readonly lookAgainAt: number;
}

/** Steps of which jobs know that no online worker may run them, by `stepKey`. */
export type Unmatched = Map<string, Told>;

const stepKey = ({ jobId, stepOrder }: StepName): string => `${jobId}/${stepOrder}`;

/** A job has said what it was told of a step. */
export function noteTold(state: LeaseState, step: StepName, reason: string, now: number): void {
  if (reason === '') return;
  const { jobId, stepOrder } = step;
  state.unmatched.set(stepKey(step), { jobId, stepOrder, reason, lookAgainAt: now });
}

/**
 * The sweep of interface.md, "Worker and related rules": jobs are told of tasks that have been ready for the grace and
 * that no online worker may run, with the reason.
 */
export function sweepUnmatched(state: LeaseState, graceMs: number, context: ServiceContext<'lease'>): void {
  for (const signature of state.index.waitingSignatures()) {
    const reason = reasonOf(state, signature);
    if (reason === null) continue;
    for (const step of signature.steps) sweepStep(state, step, reason, graceMs, context);
  }
}

function sweepStep(
  state: LeaseState,
  step: StepEntry,
  reason: string,
  graceMs: number,
  context: ServiceContext<'lease'>,
): void {
  const { jobId, stepOrder } = step;
  const known = state.unmatched.get(stepKey(step));
  const dueAt = known?.lookAgainAt ?? step.readySince + graceMs;
  if (dueAt > context.now && (known === undefined || known.reason === reason)) return;
  // Tasks that became ready lately are due one after the other.
  const lookAgainAt = step.lastReadyAt + graceMs > context.now ? context.now + 1 : Infinity;
  state.unmatched.set(stepKey(step), { jobId, stepOrder, reason, lookAgainAt });
  const readyBefore = context.now - graceMs;
  context.send('job', jobId, { type: 'step.unmatched', stepOrder, reason, readyBefore });
}

/** Takes the reason back from every step for which there is a worker now. */
export function clearMatched(state: LeaseState, context: ServiceContext<'lease'>): void {
  const reasons = new Map<Signature, string | null>();
  for (const [key, { jobId, stepOrder }] of [...state.unmatched]) {
    const step = state.index.entry(jobId, stepOrder);
    if (step === undefined || step.ready.size === 0) {
      // The job takes the reason back by itself from tasks that are not ready any more.
      state.unmatched.delete(key);
      continue;
    }
    let reason = reasons.get(step.signature);
    if (reason === undefined) {
      reason = reasonOf(state, step.signature);
      reasons.set(step.signature, reason);
    }
    if (reason !== null) continue;
    state.unmatched.delete(key);
    context.send('job', jobId, { type: 'step.matched', stepOrder });
  }
}

/** Why no online worker may run tasks of the signature, or null. Asks to be told when a pool that is full has room again. */
function reasonOf(state: LeaseState, signature: Signature): string | null {
  const reason = unschedulableReason(state, signature);
  if (reason !== null) state.pools.awaitRoom(signature.requirements.pools);
  return reason;
}
