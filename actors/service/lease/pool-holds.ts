import type { ServiceContext } from '../service-system.ts';
import { servePool } from './serve.ts';
import type { LeaseState } from './state.ts';
import { clearSchedulable } from './unschedulable-sweep.ts';

/** Sets the timer for the first end of a hold of a usage pool (docs/retry-rules.md#requeue). */
export function armPoolHolds({ pools }: LeaseState, context: ServiceContext<'lease'>): void {
  const end = pools.nextHoldEnd();
  if (end !== null) context.after('pool holds', Math.max(1, end - context.now), { type: 'pool-hold.due' });
}

/** Serves the parked requests for tasks of the pools whose hold has ended. Their tasks may have an eligible worker again. */
export function onPoolHoldDue(state: LeaseState, _message: unknown, context: ServiceContext<'lease'>): void {
  const ended = state.pools.updateHolds(context.now);
  armPoolHolds(state, context);
  for (const pool of ended) servePool(state, pool, context);
  if (ended.length > 0) clearSchedulable(state, context);
}
