import type { ServiceContext } from '../service-system.ts';
import type { WorkerMessage } from './messages.ts';
import type { WorkerState } from './state.ts';

/** Releases the cores of closed attempts. Attempts without a booking were released before. */
export function onAttemptsReleased(
  state: WorkerState,
  { attempts }: Extract<WorkerMessage, { type: 'attempts.released' }>,
  context: ServiceContext<'worker'>,
): void {
  let cores = 0;
  for (const attempt of attempts) {
    const booking = state.bookings.take(attempt);
    if (booking === null) continue;
    cores += booking.cores;
    if (state.held.size > 0) state.held.delete(booking.attemptId);
    if (state.missedSince.size > 0) state.missedSince.delete(booking.attemptId);
    if (state.overdue.size > 0) state.overdue.delete(booking.attemptId);
  }
  if (cores === 0) return;
  context.markDirty();
  context.send('lease', state.record.farmId, { type: 'cores.freed', workerId: state.record.id, cores });
}
