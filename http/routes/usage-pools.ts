import { SETTINGS } from '../../src/core/records/settings-version.ts';
import { ifMatchOf } from './if-match.ts';
import type { PoolInput } from '../../actors/service/catalog/messages.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { UsagePoolRecord } from '../../src/core/records/usage-pool.ts';
import type { Ports } from '../ports.ts';
import { sortedBy } from '../views/page-view.ts';
import type { Schemas } from '../views/schemas.ts';
import { usagePoolView } from '../views/usage-pool-view.ts';
import { askCatalog, created, deleted, replaced, okOrNotFound } from './catalog-replies.ts';
import { sentRetryRules } from './sent-retry-rules.ts';
import { notFound, type Handler } from './operation.ts';

export const listUsagePools: Handler<'listUsagePools'> = (_call, ports) => {
  const pools = [...ports.store.scan('usagePool')].map((row) => row.value);
  const sorted = sortedBy(pools, (pool) => pool.name, 'asc');
  return { kind: 'json', status: 200, body: sorted.map(poolViewOf(ports)) };
};

export const getUsagePool: Handler<'getUsagePool'> = ({ path }, ports) =>
  okOrNotFound('usage pool', path.id, storedPool(ports, path.id), poolViewOf(ports), SETTINGS['usage pool']);

export const createUsagePool: Handler<'createUsagePool'> = async ({ body }, ports) => {
  const rules = sentRetryRules(body, ports);
  if (!rules.ok) return { kind: 'problem', problem: rules.problem };
  const input = { ...poolInput(body), ...rules.value };
  const outcome = await askCatalog<UsagePoolRecord>(ports, (replyTo) => ({
    type: 'pool.create',
    input,
    replyTo,
  }));
  return created('/api/v1/usage-pools', outcome, poolViewOf(ports));
};

export const replaceUsagePool: Handler<'replaceUsagePool'> = async ({ path, body, headers }, ports) => {
  const stored = storedPool(ports, path.id);
  if (stored === undefined) return notFound('usage pool', path.id);
  const rules = sentRetryRules(body, ports);
  if (!rules.ok) return { kind: 'problem', problem: rules.problem };
  const input = { ...poolInput(body), ...rules.value };
  const outcome = await askCatalog<UsagePoolRecord>(ports, (replyTo) => ({
    type: 'pool.replace',
    poolId: stored.id,
    input,
    ...ifMatchOf({ headers }),
    replyTo,
  }));
  return replaced(outcome, poolViewOf(ports), SETTINGS['usage pool']);
};

export const deleteUsagePool: Handler<'deleteUsagePool'> = async ({ path, headers }, ports) => {
  const stored = storedPool(ports, path.id);
  if (stored === undefined) return notFound('usage pool', path.id);
  const outcome = await askCatalog<null>(ports, (replyTo) => ({
    type: 'pool.delete',
    poolId: stored.id,
    ...ifMatchOf({ headers }),
    replyTo,
  }));
  return deleted(outcome);
};

/** Returns a usage pool by its id. */
export const storedPool = ({ store }: Ports, id: string): UsagePoolRecord | undefined =>
  store.get('usagePool', keys.usagePool(id));

/** Returns the view of a usage pool with its claimed slots. */
export const poolViewOf =
  (ports: Ports) =>
  (pool: UsagePoolRecord): Schemas['UsagePool'] =>
    usagePoolView(pool, ports.tally(pool.slot), ports.now());

const poolInput = (body: Schemas['UsagePoolInput']): PoolInput => ({
  name: body.name,
  maxConcurrent: body.max_concurrent,
  serverHint: body.server_hint ?? '',
  ...(body.counts !== undefined && { counts: body.counts }),
});
