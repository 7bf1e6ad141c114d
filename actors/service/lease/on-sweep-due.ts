import type { ServiceContext, ServiceSettings } from '../service-system.ts';
import { preempt } from './preempt.ts';
import { shortestWaitOf } from './preemption-state.ts';
import { reserve, reviewReservations } from './reservations.ts';
import type { LeaseState } from './state.ts';
import { clearSchedulable, notifyUnschedulable } from './unschedulable-sweep.ts';

/** Number of sweeps within the shortest watched wait, before the limits of the period apply. */
const SWEEPS_PER_WAIT = 10;
const PERIOD_MIN_MS = 100;
const PERIOD_MAX_MS = 3_000;

type SweepSettings = Pick<ServiceSettings, 'unschedulableGraceMs' | 'reservationAfterMs'>;

/** Returns the period of sweeps in milliseconds, or null if none are needed. */
export function sweepPeriodOf({ unschedulableGraceMs, reservationAfterMs }: SweepSettings): number | null {
  const waits = [unschedulableGraceMs, reservationAfterMs].filter((wait) => wait > 0);
  return waits.length === 0 ? null : periodOf(Math.min(...waits));
}

const periodOf = (waitMs: number): number =>
  Math.min(PERIOD_MAX_MS, Math.max(PERIOD_MIN_MS, waitMs / SWEEPS_PER_WAIT));

/** Returns the period with that of queues that take back tasks. */
function withPreemption(state: LeaseState, periodMs: number | null): number | null {
  const wait = shortestWaitOf(state.preemption);
  return wait === null ? periodMs : Math.min(periodMs ?? PERIOD_MAX_MS, periodOf(wait));
}

/** Sets the timer of the next sweep if tasks are waiting. An idle farm is not swept. */
export function armSweep(state: LeaseState, periodMs: number | null, context: ServiceContext<'lease'>): void {
  if (state.hasPendingNotifications) {
    state.hasPendingNotifications = false;
    state.isSweepSet = true;
    context.after('sweep', 0, { type: 'sweep.due' });
    return;
  }
  if (state.isSweepSet) return;
  const period = state.preemption.queues.size === 0 ? periodMs : withPreemption(state, periodMs);
  if (period === null) return;
  if (!state.index.hasReady && state.reservations.size === 0 && state.unschedulable.size === 0) return;
  state.isSweepSet = true;
  // At the same times after a restart, so that an actor that is loaded again decides like one in memory.
  context.after('sweep', Math.ceil(period - (context.now % period)), { type: 'sweep.due' });
}

/** Notifies jobs of unschedulable tasks, takes back tasks for queues that preempt, and reserves workers for starving tasks. */
export const onSweepDue =
  ({ unschedulableGraceMs, reservationAfterMs }: SweepSettings) =>
  (state: LeaseState, _message: unknown, context: ServiceContext<'lease'>): void => {
    state.isSweepSet = false;
    // The sweep repeats: only some of the jobs are known so far.
    if (state.recovery !== 'ready') return;
    clearSchedulable(state, context);
    if (unschedulableGraceMs > 0) notifyUnschedulable(state, unschedulableGraceMs, context);
    reviewReservations(state, reservationAfterMs, context);
    preempt(state, context);
    if (reservationAfterMs > 0) reserve(state, reservationAfterMs, context);
  };
