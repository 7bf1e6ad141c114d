import { attemptIdOf, type AttemptId } from '../../../src/core/ids.ts';
import type { StepName } from '../../../src/core/lease/candidate-order.ts';
import { holdsAmounts, type Holding } from '../../../src/core/records/holding.ts';
import type { ServiceContext } from '../service-system.ts';
import { keepUntilEnd } from './ending-bookings.ts';
import { reportExits } from './exiting-attempts.ts';
import { sendFreed } from './worker-turn.ts';
import { watchLiveness } from './liveness.ts';
import type { WorkerMessage } from './messages.ts';
import type { PromiseSettings } from './promise.ts';
import { recordSuccesses } from './quarantine.ts';
import type { WorkerState } from './state.ts';

const NO_IDS = new Set<AttemptId>();
const NOTHING: readonly Holding[] = [];

/**
 * Releases the cores of closed attempts. Attempts without a booking were released before. Remembers those whose
 * processes may still run, unless the worker had given them back already.
 */
export const onAttemptsReleased =
  (settings: PromiseSettings) =>
  (
    state: WorkerState,
    { attempts, exiting, succeeded, areTakenBack }: Extract<WorkerMessage, { type: 'attempts.released' }>,
    context: ServiceContext<'worker'>,
  ): void => {
    recordSuccesses(state, succeeded, context);
    /** The step of the attempts before, and what they held. */
    let step: StepName | null = null;
    let cores = 0;
    let holdings: Holding[] | null = null;
    const exitingIds = exiting.length === 0 ? NO_IDS : new Set(exiting.map(attemptIdOf));
    for (const attempt of attempts) {
      const booking = state.bookings.take(attempt);
      if (booking === null) continue;
      const { attemptId } = booking;
      if (state.held.size > 0) state.held.delete(attemptId);
      if (state.missedSince.size > 0) state.missedSince.delete(attemptId);
      if (state.overdue.size > 0) state.overdue.delete(attemptId);
      const isGivenBack = state.reclaimed.size > 0 && state.reclaimed.delete(attemptId);
      const isExiting = exitingIds.size > 0 && exitingIds.has(attemptId) && !isGivenBack;
      if (isExiting) {
        state.exiting.add(attemptId);
        exitingIds.delete(attemptId);
      }
      if (isExiting && areTakenBack === true) {
        keepUntilEnd(state, booking);
        context.markDirty();
        continue;
      }
      if (step !== null && step.stepOrder !== attempt.stepOrder) {
        sendFreed(state, step, cores, holdings ?? NOTHING, context);
        cores = 0;
        holdings = null;
      }
      // All attempts of a message are of one job.
      step = attempt;
      cores += booking.cores;
      if (!holdsAmounts(booking)) continue;
      // An array literal with one element, because V8 gives an empty array a large first allocation.
      if (holdings === null) holdings = [booking];
      else holdings.push(booking);
    }
    // The others have no booking any more or were given back: the worker does not run them.
    reportExits(exitingIds, context);
    // A worker that is not online and had no attempts is not watched.
    if (exiting.length > 0 && state.record.status !== 'online') watchLiveness(state, settings, context);
    if (step === null) return;
    context.markDirty();
    sendFreed(state, step, cores, holdings ?? NOTHING, context);
  };
