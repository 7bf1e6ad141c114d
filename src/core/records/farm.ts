import type { FarmId } from '../ids.ts';
import type { RetryOverride } from '../lifecycle/retry-policy.ts';
import type { NamedCaps } from './named-caps.ts';
import type { OutageSetting } from '../outages/outage.ts';
import type { QueuePolicySetting } from './queue-policy.ts';

/** The part of a booked amount that a step without a requirement for it takes: none, or its share of the cores. */
export type AmountDefault = 'none' | 'core_share';

/** Setting of a farm: the amounts that are booked like cores (docs/policy.md#booked-amounts). */
export interface BookedAmountsSetting {
  /** Names in lower case, without repetition. Never cores or usage pools. Empty: only cores are booked. */
  readonly names: readonly string[];
  readonly byDefault: AmountDefault;
  /** From 1; rises with each change of the other fields. Bookings and explanations name it. */
  readonly version: number;
}

/** Setting of a farm: whether it puts workers in quarantine (docs/quarantine.md). */
export interface QuarantineSetting {
  readonly isOn: boolean;
  /** From 1; rises with each change. Quarantines name it. */
  readonly version: number;
}

/**
 * A farm (docs/contract/resources.md#farm). Times are milliseconds since the epoch. `maxConcurrentTasks` 0 means no
 * cap.
 */
export interface FarmRecord extends NamedCaps {
  readonly version: 1;
  readonly id: FarmId;
  readonly name: string;
  readonly description: string;
  readonly maxConcurrentTasks: number;
  readonly retry: RetryOverride;
  /** Amounts that are booked like cores (docs/policy.md#booked-amounts); absent if there were never any. */
  readonly bookedAmounts?: BookedAmountsSetting;
  /** The order of its tasks (docs/policy.md#queue-policies); absent if it was always that of the contract. */
  readonly queuePolicy?: QueuePolicySetting;
  /** Absent if it was never on. */
  readonly quarantine?: QuarantineSetting;
  /** How outages are found (docs/outages.md). Absent if it was never on. */
  readonly outages?: OutageSetting;
  readonly createdAt: number;
  readonly updatedAt: number;
}
