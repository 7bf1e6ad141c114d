import type { FarmId, QueueId } from '../ids.ts';
import type { RetryOverride } from '../lifecycle/retry-policy.ts';
import type { NamedCaps } from './named-caps.ts';
import type { PreemptionSetting } from './preemption.ts';
import type { RetryRule } from '../retry-rules/retry-rule.ts';

/**
 * A queue of a farm (docs/contract/resources.md#queue). Times are milliseconds since the epoch. `maxConcurrentTasks` 0
 * means no cap.
 */
export interface QueueRecord extends PreemptionSetting, NamedCaps {
  readonly version: 1;
  readonly id: QueueId;
  readonly farmId: FarmId;
  readonly name: string;
  readonly description: string;
  readonly priority: number;
  readonly maxConcurrentTasks: number;
  readonly paused: boolean;
  readonly retry: RetryOverride;
  /** Rules for failed attempts of its tasks. Absent: none. */
  readonly retryRules?: readonly RetryRule[];
  /**
   * Account of the workers' machines that its tasks run as (docs/contract/isolation.md); absent for the worker's own.
   */
  readonly runAsUser?: string;
  /** Replaces the primary group of the account. It has no effect without an account. */
  readonly runAsGroup?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}
