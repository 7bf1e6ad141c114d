import { Shares, type StoredUsage } from '../../../src/core/lease/shares.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import type { FarmRecord } from '../../../src/core/records/farm.ts';
import type { QueuePolicySetting } from '../../../src/core/records/queue-policy.ts';
import { keys } from '../../../src/core/records/tables.ts';

/** Returns the shares of a farm with this setting and usage; null for the order of the contract. */
export function sharesOf(
  setting: QueuePolicySetting | null,
  stored: Iterable<StoredUsage> = [],
): Shares | null {
  return setting === null || setting.kind === 'fifo' ? null : new Shares(setting, stored);
}

/** Loads the shares of a farm. They are counted once its jobs and workers are known. */
export function loadShares({ id, queuePolicy }: FarmRecord, reader: StoreReader): Shares | null {
  const stored = [...reader.scan('shareUsage', { prefix: keys.shareUsageOf(id) })].map((row) => row.value);
  return sharesOf(queuePolicy ?? null, stored);
}
