import type { FarmId } from '../ids.ts';
import type { RetryOverride } from '../lifecycle/retry-policy.ts';

/**
 * A farm (docs/contract/resources.md#farm). Times are milliseconds since the epoch. `maxConcurrentTasks` 0 means no
 * cap.
 */
export interface FarmRecord {
  readonly version: 1;
  readonly id: FarmId;
  readonly name: string;
  readonly description: string;
  readonly maxConcurrentTasks: number;
  readonly retry: RetryOverride;
  readonly createdAt: number;
  readonly updatedAt: number;
}
