import type { ServiceContext } from '../service-system.ts';
import { grantQuarantines } from './grant-quarantines.ts';
import type { LeaseMessage } from './messages.ts';
import { recordStanding } from './on-worker-offered.ts';
import { serveAll } from './serve.ts';
import type { LeaseState } from './state.ts';

/**
 * Records what a worker is kept from. Other workers, and tasks that it was kept from, may be served now: the doubts about
 * one worker decide which others count as alternatives.
 */
export function onWorkerDoubted(
  state: LeaseState,
  { workerId, doubts, asksForQuarantine }: Extract<LeaseMessage, { type: 'worker.doubted' }>,
  context: ServiceContext<'lease'>,
): void {
  state.doubts.set(workerId, doubts);
  if (asksForQuarantine) state.asking.add(workerId);
  else state.asking.delete(workerId);
  const before = state.workers.get(workerId);
  const isOnline = before?.takesTasks === true && !state.doubts.isQuarantined(workerId);
  if (before !== undefined && before.isOnline !== isOnline) {
    const worker = { ...before, isOnline };
    state.workers.set(workerId, worker);
    recordStanding(state, worker, context);
  }
  grantQuarantines(state, context);
  serveAll(state, context);
}
