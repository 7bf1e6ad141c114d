import { ONLINE_WORKERS_SLOT } from '../../../src/core/ports/tallies.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseMessage } from './messages.ts';
import { grantQuarantines } from './grant-quarantines.ts';
import { serveAll } from './serve.ts';
import type { LeaseState } from './state.ts';
import { clearSchedulable } from './unschedulable-sweep.ts';
import { endRestoring } from './waiting-steps.ts';

/**
 * Number of jobs that are activated per turn. Each is read from the store, which takes a fifth of a millisecond. The
 * thread handles other messages between two such turns (docs/decisions/unit-of-work.md).
 */
export const RECOVERY_BATCH_SIZE = 200;

/**
 * Activates the next jobs, which then report their ready tasks. After the last batch, waits for their reports. No task
 * is assigned until then: caps, pools and the order of candidates depend on all jobs.
 */
export function loadJobs(state: LeaseState, atOnce: number, context: ServiceContext<'lease'>): void {
  if (state.recovery !== 'loading') return;
  for (const id of state.pendingJobs.splice(0, atOnce)) context.send('job', id, { type: 'job.activate' });
  if (state.pendingJobs.length > 0) {
    context.after('recovery', 0, { type: 'recovery.next' });
    return;
  }
  state.recovery = 'reconciling';
  context.send('lease', state.farmId, { type: 'lease.recovered', isLast: false });
}

/**
 * Finishes recovery. The message is sent twice: the jobs' reports are queued behind the first one and ahead of the last
 * one.
 */
export function onLeaseRecovered(
  state: LeaseState,
  message: Extract<LeaseMessage, { type: 'lease.recovered' }>,
  context: ServiceContext<'lease'>,
): void {
  if (!message.isLast) {
    context.send('lease', state.farmId, { type: 'lease.recovered', isLast: true });
    return;
  }
  state.recovery = 'ready';
  endRestoring(state, context);
  state.index.shares?.start(context.now);
  state.pools.counted();
  state.tallies.setShare(state.farmId, ONLINE_WORKERS_SLOT, state.kinds.online);
  grantQuarantines(state, context);
  serveAll(state, context);
  // Steps that were unschedulable before the start may have a worker or a pool slot now.
  clearSchedulable(state, context);
}

/**
 * Wraps a handler that requires the state of all jobs. During recovery it activates all remaining jobs in this turn and
 * handles the message after their reports.
 */
export const whenRecovered =
  <M extends LeaseMessage>(
    handle: (state: LeaseState, message: M, context: ServiceContext<'lease'>) => void,
  ) =>
  (state: LeaseState, message: M, context: ServiceContext<'lease'>): void => {
    if (state.recovery === 'ready') {
      handle(state, message, context);
      return;
    }
    loadJobs(state, state.pendingJobs.length, context);
    context.send('lease', state.farmId, message);
  };
