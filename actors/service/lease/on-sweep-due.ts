import type { ServiceContext, ServiceSettings } from '../service-system.ts';
import { reserve } from './reservations.ts';
import type { LeaseState } from './state.ts';
import { clearMatched, sweepUnmatched } from './unschedulable-sweep.ts';

/** Sweeps come so many times within the shortest time that they watch, but neither all the time nor too seldom. */
const SWEEPS_PER_WAIT = 10;
const PERIOD_MIN_MS = 100;
const PERIOD_MAX_MS = 3_000;

type Watched = Pick<ServiceSettings, 'unschedulableGraceMs' | 'reservationAfterMs'>;

/** How often the lease actor looks at what waits; null when it never has to. */
export function sweepPeriodOf({ unschedulableGraceMs, reservationAfterMs }: Watched): number | null {
  const waits = [unschedulableGraceMs, reservationAfterMs].filter((wait) => wait > 0);
  if (waits.length === 0) return null;
  return Math.min(PERIOD_MAX_MS, Math.max(PERIOD_MIN_MS, Math.min(...waits) / SWEEPS_PER_WAIT));
}

/** Sets the timer of the next sweep while something waits: an idle farm is not looked at. */
export function armSweep(state: LeaseState, periodMs: number | null, context: ServiceContext<'lease'>): void {
  if (state.hasPendingNotifications) {
    state.hasPendingNotifications = false;
    state.isSweepSet = true;
    context.after('sweep', 0, { type: 'sweep.due' });
    return;
  }
  if (state.isSweepSet || periodMs === null) return;
  if (!state.index.hasReady && state.reservations.size === 0 && state.unmatched.size === 0) return;
  state.isSweepSet = true;
  context.after('sweep', periodMs, { type: 'sweep.due' });
}

/** Tells jobs of tasks that nobody may run, and keeps workers free for tasks that starve. */
export const onSweepDue =
  ({ unschedulableGraceMs, reservationAfterMs }: Watched) =>
  (state: LeaseState, _message: unknown, context: ServiceContext<'lease'>): void => {
    state.isSweepSet = false;
    // It comes again: so far only some of the jobs are known.
    if (state.recovery !== 'done') return;
    clearMatched(state, context);
    if (unschedulableGraceMs > 0) sweepUnmatched(state, unschedulableGraceMs, context);
    if (reservationAfterMs > 0) reserve(state, reservationAfterMs, context);
  };
