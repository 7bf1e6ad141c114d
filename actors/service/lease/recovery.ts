import { ONLINE_WORKERS_SLOT } from '../../../src/core/ports/tallies.ts';
import type { ServiceContext } from '../service-system.ts';
import type { LeaseMessage } from './messages.ts';
import { serveAll } from './serve.ts';
import type { LeaseState } from './state.ts';
import { clearMatched } from './unschedulable-sweep.ts';

/**
 * Jobs that are asked in one turn what they offer: each is read from the store for it, in a fifth of a millisecond. Between
 * two such turns the thread hears others (docs/decisions/closures.md).
 */
export const RECOVERY_BATCH_SIZE = 200;

/**
 * Asks the next jobs what they offer; once the last are asked, the answers are counted. Until then nothing is handed
 * out: caps, pools and the order of the candidates are those of all jobs.
 */
export function loadJobs(state: LeaseState, atOnce: number, context: ServiceContext<'lease'>): void {
  if (state.recovery !== 'asking') return;
  for (const id of state.pendingJobs.splice(0, atOnce)) context.send('job', id, { type: 'job.activate' });
  if (state.pendingJobs.length > 0) {
    context.after('take up', 0, { type: 'recovery.next' });
    return;
  }
  state.recovery = 'counting';
  context.send('lease', state.farmId, { type: 'lease.recovered', isLast: false });
}

/**
 * What the jobs have answered to being woken stands in the mailbox behind this message when it comes first, and before
 * it when it comes last.
 */
export function onCounted(
  state: LeaseState,
  message: Extract<LeaseMessage, { type: 'lease.recovered' }>,
  context: ServiceContext<'lease'>,
): void {
  if (!message.isLast) {
    context.send('lease', state.farmId, { type: 'lease.recovered', isLast: true });
    return;
  }
  state.recovery = 'done';
  state.pools.counted();
  state.tallies.setShare(state.farmId, ONLINE_WORKERS_SLOT, state.kinds.online);
  serveAll(state, context);
  // What nobody could run before the start may have a worker, or a slot of its pool, now.
  clearMatched(state, context);
}

/** A look at everything: when jobs were not asked yet they are asked in this turn, and the look comes behind their answers. */
export const whenRecovered =
  <M extends LeaseMessage>(look: (state: LeaseState, message: M, context: ServiceContext<'lease'>) => void) =>
  (state: LeaseState, message: M, context: ServiceContext<'lease'>): void => {
    if (state.recovery === 'done') {
      look(state, message, context);
      return;
    }
    loadJobs(state, state.pendingJobs.length, context);
    context.send('lease', state.farmId, message);
  };
