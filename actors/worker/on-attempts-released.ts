import type { ServiceContext } from '../service-world.ts';
import type { WorkerMessage } from './messages.ts';
import type { WorkerState } from './state.ts';

/** Attempts are closed: what they held is free again. Those that are not booked have been released before. */
export function onAttemptsReleased(
  state: WorkerState,
  { attemptIds }: Extract<WorkerMessage, { type: 'attempts.released' }>,
  context: ServiceContext<'worker'>,
): void {
  let cores = 0;
  for (const attemptId of attemptIds) {
    const booking = state.bookings.get(attemptId);
    if (booking === undefined) continue;
    cores += booking.cores;
    state.bookings.delete(attemptId);
    state.held.delete(attemptId);
    state.missedSince.delete(attemptId);
  }
  if (cores === 0) return;
  context.saveLater();
  context.send('lease', state.record.farmId, { type: 'cores.freed', workerId: state.record.id, cores });
}
