import type { AttemptId } from '../../../src/core/ids.ts';
import { holdsAmounts } from '../../../src/core/records/holding.ts';
import type { Booking } from '../../../src/core/records/worker.ts';
import type { ServiceContext } from '../service-system.ts';
import type { WorkerMessage } from './messages.ts';
import { stepOfAttempt, type WorkerState } from './state.ts';
import { sendFreed } from './worker-turn.ts';

/*
 * Bookings of attempts that were taken back (docs/policy.md#preemption). Unlike those of a canceled attempt, they last
 * until the processes have ended: the task that they are taken back for needs their memory, not only their cores. Each is
 * in the list of exiting attempts too.
 */

type WorkerContext = ServiceContext<'worker'>;

/** Keeps the booking of a closed attempt until its end. */
export function keepUntilEnd(state: WorkerState, booking: Booking): void {
  state.ending = { bookings: [...(state.ending?.bookings ?? []), booking] };
}

/** Releases the bookings of attempts that have ended. */
export function releaseEnded(state: WorkerState, ended: readonly AttemptId[], context: WorkerContext): void {
  const { ending } = state;
  if (ending === null) return;
  const freed = ending.bookings.filter(({ attemptId }) => ended.includes(attemptId));
  if (freed.length === 0) return;
  const bookings = ending.bookings.filter((booking) => !freed.includes(booking));
  state.ending = bookings.length === 0 ? null : { bookings };
  for (const booking of freed) {
    const holdings = holdsAmounts(booking) ? [booking] : [];
    sendFreed(state, stepOfAttempt(booking.attemptId), booking.cores, holdings, context);
  }
}

/** Answers what the attempts on the worker hold. */
export function onBookingsSurvey(
  { record, bookings, ending }: WorkerState,
  _message: Extract<WorkerMessage, { type: 'bookings.survey' }>,
  context: WorkerContext,
): void {
  context.send('lease', record.farmId, {
    type: 'bookings.surveyed',
    workerId: record.id,
    bookings: bookings.all(),
    isEnding: ending !== null,
  });
}
