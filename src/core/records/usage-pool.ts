/**
 * A usage pool (docs/contract/resources.md#usage-pool): how many tasks of all farms may hold it at once. Times are
 * milliseconds since the epoch.
 */
export interface UsagePoolRecord {
  readonly version: 1;
  readonly id: string;
  readonly name: string;
  readonly maxConcurrent: number;
  /** Free text for diagnostics; empty when there is none. */
  readonly serverHint: string;
  /** Number of the pool among those that exist, from 1: where its claims are counted. */
  readonly slot: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The name under which steps ask for a pool: capability names compare without case. */
export const poolKey = (name: string): string => name.toLowerCase();
