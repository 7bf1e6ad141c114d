import type { MeasuredSlots, MeasureFailure } from '../pools/measured-slots.ts';
import type { PoolHold } from '../retry-rules/pool-hold.ts';
import type { RetryRule } from '../retry-rules/retry-rule.ts';

/**
 * A usage pool (docs/contract/resources.md#usage-pool): the maximum number of tasks of all farms that hold it at the
 * same time. Times are milliseconds since the epoch.
 */
export interface UsagePoolRecord {
  readonly version: 1;
  readonly id: string;
  readonly name: string;
  readonly maxConcurrent: number;
  /** Absent: each task takes one slot. */
  readonly counts?: PoolCounts;
  /** Free text for diagnostics, as the client sent it. May be empty. */
  readonly serverHint: string;
  /** Rules for failed attempts of tasks that require the pool. Absent: none. */
  readonly retryRules?: readonly RetryRule[];
  /** The latest time for which the pool was held back after a shortage. Absent: never. */
  readonly hold?: PoolHold;
  /** The latest value of the source of the pool (docs/policy.md#measured-pools). Absent: never measured. */
  readonly measured?: MeasuredSlots;
  /** Absent: the latest measurement has succeeded, or there was none. */
  readonly measureFailure?: MeasureFailure;
  /** Number of the pool among those that exist, from 1: the slot of its claims. */
  readonly slot: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * Way to count the slots of a pool (docs/policy.md#what-a-pool-counts): with `amounts` each task takes as many as its
 * step requires, with `hosts` each host with such tasks takes one.
 */
export type PoolCounts = 'amounts' | 'hosts';

/** Returns the name under which steps request a pool: capability names are case-insensitive. */
export const poolKey = (name: string): string => name.toLowerCase();
