import type { StoreReader } from '../../src/core/ports/store.ts';
import { jobId } from '../../src/core/ids.ts';
import { endedJobOfKey, keys } from '../../src/core/records/tables.ts';
import { ACCOUNTS_ID } from './accounts/messages.ts';
import { AUDIT_LOG } from './audit/messages.ts';
import { CATALOG_ID } from './catalog/messages.ts';
import { KEY_TIMER } from './idempotency/messages.ts';
import { WEBHOOKS_ID } from './webhooks/messages.ts';
import type { ServiceEnvelope } from './service-messages.ts';

/**
 * Yields the first messages of a shard after its start. Activates every farm of the shard, resumes every purge of a
 * deleted job, and resumes retention where a deleted farm still has ended jobs. The first shard also activates the
 * sweep of idempotency keys, the accounts, the audit log, the catalog and the webhooks.
 */
export function* recoverActors(
  reader: StoreReader,
  ownsFarm: (farm: string) => boolean,
  isFirstShard: boolean,
): Generator<ServiceEnvelope, void, undefined> {
  if (isFirstShard) {
    yield { actor: 'idempotency', id: KEY_TIMER, message: { type: 'keys.activate' } };
    yield { actor: 'accounts', id: ACCOUNTS_ID, message: { type: 'accounts.activate' } };
    yield { actor: 'audit', id: AUDIT_LOG, message: { type: 'audit.activate' } };
    yield { actor: 'catalog', id: CATALOG_ID, message: { type: 'catalog.activate' } };
    yield { actor: 'webhooks', id: WEBHOOKS_ID, message: { type: 'webhooks.activate' } };
  }
  for (const { value: farm } of reader.scan('farm')) {
    if (ownsFarm(farm.id)) yield { actor: 'farm', id: farm.id, message: { type: 'farm.activate' } };
  }
  for (const { key, value } of reader.scan('doomedJob')) {
    if (!ownsFarm(value.farmId)) continue;
    yield { actor: 'purge', id: jobId(key), message: { type: 'purge.next', farmId: value.farmId } };
  }
  for (let after = ''; ;) {
    const [first] = reader.scan('endedJob', { after, limit: 1 });
    if (first === undefined) return;
    const { farmId } = endedJobOfKey(first.key);
    if (ownsFarm(farmId)) yield { actor: 'retention', id: farmId, message: { type: 'retention.activate' } };
    after = keys.afterEndedJobs(farmId);
  }
}
