import { timestampOf } from '../../src/core/timestamp.ts';
import type { UsagePoolRecord } from '../../src/core/records/usage-pool.ts';
import { isHeldBack } from '../../src/core/retry-rules/pool-hold.ts';
import { poolHoldView, retryRulesView } from './retry-rules-view.ts';
import type { Schemas } from './schemas.ts';

/** docs/contract/resources.md#usage-pool. `inUse`: slots held by running tasks of all farms. */
export function usagePoolView(pool: UsagePoolRecord, inUse: number, now: number): Schemas['UsagePool'] {
  return {
    id: pool.id,
    name: pool.name,
    max_concurrent: pool.maxConcurrent,
    ...(pool.counts !== undefined && { counts: pool.counts }),
    ...(pool.serverHint !== '' && { server_hint: pool.serverHint }),
    ...retryRulesView(pool.retryRules),
    ...(pool.hold !== undefined && isHeldBack(pool.hold, now) && { hold: poolHoldView(pool.hold) }),
    in_use: inUse,
    available: Math.max(pool.maxConcurrent - inUse, 0),
    created_at: timestampOf(pool.createdAt),
    updated_at: timestampOf(pool.updatedAt),
  };
}
