import { timestampOf } from '../../src/core/timestamp.ts';
import type { UsagePoolRecord } from '../../src/core/records/usage-pool.ts';
import { effectiveSlots, isFresh } from '../../src/core/pools/measured-slots.ts';
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
    ...measureView(pool, now),
    in_use: inUse,
    available: Math.max(effectiveSlots(pool, now) - inUse, 0),
    created_at: timestampOf(pool.createdAt),
    updated_at: timestampOf(pool.updatedAt),
  };
}

type MeasureView = Pick<
  Schemas['UsagePool'],
  | 'effective_slots'
  | 'measured_slots'
  | 'measured_at'
  | 'measured_stale'
  | 'measured_error'
  | 'measured_error_since'
>;

/** docs/policy.md#measured-pools. Empty for a pool whose source was never asked. */
function measureView(pool: UsagePoolRecord, now: number): MeasureView {
  const { measured, measureFailure: failure } = pool;
  if (measured === undefined && failure === undefined) return {};
  return {
    effective_slots: effectiveSlots(pool, now),
    ...(measured !== undefined && {
      measured_slots: measured.slots,
      measured_at: timestampOf(measured.at),
      measured_stale: !isFresh(measured, now),
    }),
    ...(failure !== undefined && {
      measured_error: failure.reason,
      measured_error_since: timestampOf(failure.since),
    }),
  };
}
