import { outageSettingView } from './outage-view.ts';
import type { FarmRecord } from '../../src/core/records/farm.ts';
import { namedCapsView } from './named-caps-view.ts';
import { queuePolicyView } from './queue-policy-view.ts';
import { retryView } from './retry-view.ts';
import type { Schemas } from './schemas.ts';
import { timestampOf } from '../../src/core/timestamp.ts';

/** docs/contract/resources.md#farm. */
export function farmView(farm: FarmRecord): Schemas['Farm'] {
  return {
    id: farm.id,
    name: farm.name,
    description: farm.description,
    max_concurrent_tasks: farm.maxConcurrentTasks,
    ...namedCapsView(farm),
    ...retryView(farm.retry),
    ...(farm.bookedAmounts !== undefined && {
      booked_amounts: farm.bookedAmounts.names,
      amount_default: farm.bookedAmounts.byDefault,
      policy_version: farm.bookedAmounts.version,
    }),
    ...(farm.queuePolicy !== undefined && queuePolicyView(farm.queuePolicy)),
    ...(farm.outages !== undefined && outageSettingView(farm.outages)),
    ...(farm.quarantine !== undefined && {
      quarantine: farm.quarantine.isOn,
      quarantine_version: farm.quarantine.version,
    }),
    created_at: timestampOf(farm.createdAt),
    updated_at: timestampOf(farm.updatedAt),
  };
}
