import type { UsagePoolRecord } from '../records/usage-pool.ts';
import type { Measurement } from './measured-slots.ts';

/**
 * Returns the pool after a measurement. A failure keeps the latest value, which counts until it is too old. Returns the
 * same object if nothing changes, as with a failure that repeats the one before.
 */
export function afterMeasurement(pool: UsagePoolRecord, result: Measurement): UsagePoolRecord {
  if (result.ok) {
    const { slots, at, until } = result;
    return { ...withoutMeasurement(pool), measured: { slots, at, until } };
  }
  if (pool.measureFailure?.reason === result.reason) return pool;
  return { ...pool, measureFailure: { since: result.at, reason: result.reason } };
}

/** Returns the pool without what its source has supplied; the same object if that is nothing. */
export function withoutMeasurement(pool: UsagePoolRecord): UsagePoolRecord {
  if (pool.measured === undefined && pool.measureFailure === undefined) return pool;
  const { measured: _measured, measureFailure: _failure, ...rest } = pool;
  return rest;
}
