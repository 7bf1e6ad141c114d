import type { ServiceContext, ServiceSettings } from '../service-system.ts';
import { reserve } from './reservations.ts';
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
  if (waits.length === 0) return null;
  return Math.min(PERIOD_MAX_MS, Math.max(PERIOD_MIN_MS, Math.min(...waits) / SWEEPS_PER_WAIT));
}

/** Sets the timer of the next sweep if tasks are waiting. An idle farm is not swept. */
export function armSweep(state: LeaseState, periodMs: number | null, context: ServiceContext<'lease'>): void {
  if (state.hasPendingNotifications) {
    state.hasPendingNotifications = false;
    state.isSweepSet = true;
    context.after('sweep', 0, { type: 'sweep.due' });
    return;
  }
  if (state.isSweepSet || periodMs === null) return;
  if (!state.index.hasReady && state.reservations.size === 0 && state.unschedulable.size === 0) return;
  state.isSweepSet = true;
  context.after('sweep', periodMs, { type: 'sweep.due' });
}

/** Notifies jobs of unschedulable tasks and reserves workers for starving tasks. */
export const onSweepDue =
  ({ unschedulableGraceMs, reservationAfterMs }: SweepSettings) =>
  (state: LeaseState, _message: unknown, context: ServiceContext<'lease'>): void => {
    state.isSweepSet = false;
    // The sweep repeats: only some of the jobs are known so far.
    if (state.recovery !== 'ready') return;
    clearSchedulable(state, context);
    if (unschedulableGraceMs > 0) notifyUnschedulable(state, unschedulableGraceMs, context);
    if (reservationAfterMs > 0) reserve(state, reservationAfterMs, context);
  };
