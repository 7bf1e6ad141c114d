import type { ServiceContext } from '../service-system.ts';
import type { LeaseMessage } from './messages.ts';
import { setOutages } from './outages.ts';
import { reindexParkedRequests, serveAll } from './serve.ts';
import { changePolicy } from './share-farm.ts';
import { bookedAmountsOf, type LeaseState } from './state.ts';

/** Finds the caps of owners and projects again. Reported steps stay reported under their new signature. */
export function regroupSteps({ index, unschedulable }: LeaseState): void {
  for (const step of index.regroup()) {
    const known = unschedulable.get(step);
    if (known !== undefined) unschedulable.set({ ...known, signature: step.signature });
  }
}

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
    namedCaps,
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
  if (state.index.groupCaps.limitFarm(namedCaps)) regroupSteps(state);
  setOutages(state, outages, context);
  serveAll(state, context);
}
