import type { AttemptId } from '../../../src/core/ids.ts';
import type { ServiceContext } from '../service-system.ts';
import { releaseEnded } from './ending-bookings.ts';
import type { WorkerMessage } from './messages.ts';
import type { WorkerState } from './state.ts';
import { byJob, reclaimAttempts } from './worker-turn.ts';

/*
 * Canceled attempts whose processes may still run on the worker (docs/contract/retry.md#manual-retry). An attempt
 * leaves the list when one of these proves that no process of it runs:
 *
 * - the worker reports its end;
 * - a new incarnation does not list it, or the worker departs: by then it has stopped its tasks;
 * - the worker was silent for so long that it has stopped its tasks itself, as for a reclaim (after P, not after T:
 *   docs/decisions/outages.md), or it is deleted;
 * - its heartbeats have not listed it for as long as they may not list an assignment.
 */

type WorkerContext = ServiceContext<'worker'>;

/** Handles reported ends of closed attempts. Only the worker that holds an attempt ends it. */
export function onAttemptsEnded(
  state: WorkerState,
  { attemptIds }: Extract<WorkerMessage, { type: 'attempts.ended' }>,
  context: WorkerContext,
): void {
  confirmExits(state, attemptIds, context);
}

/** Removes attempts from the list and notifies their jobs. */
export function confirmExits(
  state: WorkerState,
  attemptIds: Iterable<AttemptId>,
  context: WorkerContext,
): void {
  if (state.exiting.size === 0) return;
  const exited: AttemptId[] = [];
  for (const attemptId of attemptIds) {
    if (!state.exiting.delete(attemptId)) continue;
    state.missedSince.delete(attemptId);
    exited.push(attemptId);
  }
  if (exited.length === 0) return;
  context.markDirty();
  releaseEnded(state, exited, context);
  reportExits(exited, context);
}

/** Notifies the jobs that no process of these attempts runs any more. */
export function reportExits(attemptIds: Iterable<AttemptId>, context: WorkerContext): void {
  for (const [job, ofJob] of byJob(attemptIds))
    context.send('job', job, { type: 'attempts.exited', attemptIds: ofJob });
}

/** Gives back all attempts of a worker that runs no task any more: reclaims open ones and confirms the exit of others. */
export function giveBackAll(state: WorkerState, reason: string, context: WorkerContext): void {
  giveBack(state, state.bookings.ids(), reason, context);
  confirmExits(state, [...state.exiting], context);
}

/** Reclaims open attempts that the worker does not run. */
export function giveBack(
  state: WorkerState,
  attemptIds: readonly AttemptId[],
  reason: string,
  context: WorkerContext,
): void {
  for (const attemptId of attemptIds) state.reclaimed.add(attemptId);
  reclaimAttempts(attemptIds, reason, context);
}
