import type { FarmId } from '../../../src/core/ids.ts';
import { done, refused } from '../../../src/core/problems.ts';
import { put, remove } from '../../../src/core/records/change-set.ts';
import { SETTINGS } from '../../../src/core/records/settings-version.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { poolKey, type UsagePoolRecord } from '../../../src/core/records/usage-pool.ts';
import { WEBHOOKS_ID } from '../webhooks/messages.ts';
import type { CatalogMessage } from './messages.ts';
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
      ...input,
      slot,
      createdAt: now,
      updatedAt: now,
    } as const;
    writePool(state, record, context);
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
  const record = { ...before, ...input, updatedAt: context.now };
  writePool(state, record, context);
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
  context.reply(replyTo, done(null));
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
