import type { FarmId } from '../../../src/core/ids.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { SETTINGS } from '../../../src/core/records/settings-version.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { poolKey, type UsagePoolRecord } from '../../../src/core/records/usage-pool.ts';
import { WEBHOOKS_ID } from '../webhooks/messages.ts';
import { afterMeasurement, withoutMeasurement } from '../../../src/core/pools/after-measurement.ts';
import { rulesOfPools } from '../../../src/core/lifecycle/retry-policy.ts';
import { holdAfter } from '../../../src/core/retry-rules/pool-hold.ts';
import { timestampOf } from '../../../src/core/timestamp.ts';
import type { CatalogMessage, PoolInput } from './messages.ts';
import { POOLS_MAX, type PoolSlots } from './pool-slots.ts';
import type { CatalogContext, CatalogState } from './state.ts';
import { refusesOutdated } from '../refuse-outdated.ts';

export const onPoolCreate =
  (slots: PoolSlots) =>
  (
    state: CatalogState,
    message: Extract<CatalogMessage, { type: 'pool.create' }>,
    context: CatalogContext,
  ): void => {
    const { input, replyTo } = message;
    const namesake = poolNamed(state, input.name);
    if (namesake !== null) {
      context.reply(replyTo, nameTaken(namesake));
      return;
    }
    const slot = slots.take();
    if (slot === null) {
      const detail = `limit of ${POOLS_MAX} usage pools reached, including those deleted since the start of the service`;
      context.reply(replyTo, refused('conflict', detail));
      return;
    }
    const { now } = context;
    const record = {
      version: 1,
      id: context.newId(),
      ...settingsOf(input, undefined),
      slot,
      createdAt: now,
      updatedAt: now,
    } as const;
    writePool(state, record, context);
    if (record.retryRules !== undefined) broadcastRulesToAllFarms(state, context);
    context.reply(replyTo, done(record));
  };

export function onPoolReplace(
  state: CatalogState,
  message: Extract<CatalogMessage, { type: 'pool.replace' }>,
  context: CatalogContext,
): void {
  const { poolId, input, replyTo } = message;
  const before = state.pools.get(poolId);
  if (before === undefined) {
    context.reply(replyTo, unknownPool(poolId));
    return;
  }
  if (refusesOutdated('usage pool', SETTINGS['usage pool'](before), message, context)) return;
  const namesake = poolNamed(state, input.name);
  if (namesake !== null && namesake.id !== poolId) {
    context.reply(replyTo, nameTaken(namesake));
    return;
  }
  // The source is that of the name.
  const isRenamed = poolKey(before.name) !== poolKey(input.name);
  const { retryRules: _rules, counts: _counts, ...kept } = isRenamed ? withoutMeasurement(before) : before;
  const record = { ...kept, ...settingsOf(input, before), updatedAt: context.now };
  writePool(state, record, context);
  // The name of a pool is part of its rules.
  if (before.retryRules !== undefined || record.retryRules !== undefined)
    broadcastRulesToAllFarms(state, context);
  context.reply(replyTo, done(record));
}

/** Deletes a pool, even with slots in use. Steps that require it then have no capacity. */
export function onPoolDelete(
  state: CatalogState,
  message: Extract<CatalogMessage, { type: 'pool.delete' }>,
  context: CatalogContext,
): void {
  const { poolId, replyTo } = message;
  const before = state.pools.get(poolId);
  if (before === undefined) {
    context.reply(replyTo, unknownPool(poolId));
    return;
  }
  if (refusesOutdated('usage pool', SETTINGS['usage pool'](before), message, context)) return;
  state.pools.delete(poolId);
  context.change(remove('usagePool', keys.usagePool(poolId)));
  broadcastToAllFarms(state, context);
  if (before.retryRules !== undefined) broadcastRulesToAllFarms(state, context);
  context.reply(replyTo, done(null));
}

/** Holds a pool back after a shortage that a retry rule has found. A pool that does not exist gives out no slots anyway. */
export function onPoolShortage(
  state: CatalogState,
  { pool: name, shortage }: Extract<CatalogMessage, { type: 'pool.shortage' }>,
  context: CatalogContext,
): void {
  const before = poolNamed(state, name);
  if (before === null) return;
  const hold = holdAfter(before.hold, shortage);
  if (hold === before.hold) return;
  writePool(state, { ...before, hold }, context);
  context.log('warn', 'usage pool held back', {
    pool: before.name,
    until: timestampOf(hold.until),
    times: String(hold.times),
    reason: hold.reason,
    policy: hold.policy,
  });
}

/** Stores what the source of a pool has supplied. A pool that does not exist has no slots anyway. */
export function onPoolMeasured(
  state: CatalogState,
  { pool: name, result }: Extract<CatalogMessage, { type: 'pool.measured' }>,
  context: CatalogContext,
): void {
  const before = poolNamed(state, name);
  if (before === null) return;
  const after = afterMeasurement(before, result);
  if (after !== before) writePool(state, after, context);
}

/** Removes what was measured of pools that no longer have a source. */
export function onPoolSources(
  state: CatalogState,
  { pools }: Extract<CatalogMessage, { type: 'pool.sources' }>,
  context: CatalogContext,
): void {
  for (const before of [...state.pools.values()]) {
    const after = pools.includes(poolKey(before.name)) ? before : withoutMeasurement(before);
    if (after !== before) writePool(state, after, context);
  }
}

/** Returns the stored settings of a pool. Rules, and what it counts, stay unchanged if the client does not send them. */
function settingsOf(
  { retryRules, counts: sent, ...input }: PoolInput,
  before: UsagePoolRecord | undefined,
): Pick<UsagePoolRecord, 'name' | 'maxConcurrent' | 'serverHint' | 'retryRules' | 'counts'> {
  const counts = sent ?? before?.counts ?? 'tasks';
  const rules = retryRules ?? before?.retryRules ?? [];
  return {
    ...input,
    ...(counts !== 'tasks' && { counts }),
    ...(rules.length > 0 && { retryRules: rules }),
  };
}

/** Reports whether any pool has retry rules. */
export const hasPoolRules = (state: CatalogState): boolean =>
  [...state.pools.values()].some(({ retryRules }) => retryRules !== undefined);

/** Sends the retry rules of all usage pools to a farm. */
export function broadcastPoolRules(state: CatalogState, farm: FarmId, context: CatalogContext): void {
  const sets = rulesOfPools(state.pools.values());
  context.effect({
    kind: 'forward',
    envelope: { actor: 'farm', id: farm, message: { type: 'pool-rules.changed', sets } },
  });
}

function broadcastRulesToAllFarms(state: CatalogState, context: CatalogContext): void {
  for (const farm of state.names.keys()) broadcastPoolRules(state, farm, context);
}

/** Sends all usage pools to the lease actor of a farm. */
export function broadcastPools(state: CatalogState, farm: FarmId, context: CatalogContext): void {
  context.effect({
    kind: 'forward',
    envelope: {
      actor: 'lease',
      id: farm,
      message: { type: 'pools.changed', pools: [...state.pools.values()] },
    },
  });
}

function writePool(state: CatalogState, record: UsagePoolRecord, context: CatalogContext): void {
  state.pools.set(record.id, record);
  context.change(put('usagePool', keys.usagePool(record.id), record));
  broadcastToAllFarms(state, context);
}

function broadcastToAllFarms(state: CatalogState, context: CatalogContext): void {
  const pools = [...state.pools.values()];
  context.send('webhooks', WEBHOOKS_ID, { type: 'webhooks.pools-changed', pools });
  for (const farm of state.names.keys()) broadcastPools(state, farm, context);
}

function poolNamed(state: CatalogState, name: string): UsagePoolRecord | null {
  const key = poolKey(name);
  for (const pool of state.pools.values()) if (poolKey(pool.name) === key) return pool;
  return null;
}

const unknownPool = (id: string) => refused('not-found', `there is no usage pool ${id}`);

const nameTaken = ({ name }: UsagePoolRecord) =>
  refused('conflict', `a usage pool named ${JSON.stringify(name)} already exists`);
