import type { ServiceContext } from '../service-system.ts';
import type { LeaseMessage } from './messages.ts';
import { setOutages } from './outages.ts';
import { reindexParkedRequests, serveAll } from './serve.ts';
import { changePolicy } from './share-farm.ts';
import { bookedAmountsOf, type LeaseState } from './state.ts';

/**
 * Applies the settings of the farm to later leases. Tasks that are assigned keep what they hold: amounts that the farm
 * books from now on count for tasks that are assigned from now on.
 */
export function onFarmLimitsChanged(
  state: LeaseState,
  {
    maxConcurrentTasks,
    bookedAmounts,
    queuePolicy,
    outages,
  }: Extract<LeaseMessage, { type: 'farm.limits-changed' }>,
  context: ServiceContext<'lease'>,
): void {
  state.index.caps.limitFarm(maxConcurrentTasks);
  const next = bookedAmountsOf(bookedAmounts);
  if (next?.setting.version !== state.bookedAmounts?.setting.version) {
    state.bookedAmounts = next;
    for (const worker of state.workers.values()) reindexParkedRequests(state, worker);
  }
  changePolicy(state, queuePolicy, context);
  setOutages(state, outages, context);
  serveAll(state, context);
}
