/**
 * A usage pool (docs/contract/resources.md#usage-pool): the maximum number of tasks of all farms that hold it at the
 * same time. Times are milliseconds since the epoch.
 */
export interface UsagePoolRecord {
  readonly version: 1;
  readonly id: string;
  readonly name: string;
  readonly maxConcurrent: number;
  /** Free text for diagnostics, as the client sent it. May be empty. */
  readonly serverHint: string;
  /** Number of the pool among those that exist, from 1: the slot of its claims. */
  readonly slot: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Returns the name under which steps request a pool: capability names are case-insensitive. */
export const poolKey = (name: string): string => name.toLowerCase();
