import { refused } from '../../../src/core/problems.ts';
import { SETTINGS } from '../../../src/core/records/settings-version.ts';
import { farmSettingsOf } from './farm-settings.ts';
import type { CatalogMessage } from './messages.ts';
import { revokeFarm } from './on-credential.ts';
import { broadcastPools } from './on-pool.ts';
import { broadcastStorageLocations } from './on-storage.ts';
import type { CatalogContext, CatalogState } from './state.ts';
import { refusesOutdated } from '../refuse-outdated.ts';

type Naming = Extract<CatalogMessage, { type: 'farm.create' | 'farm.replace' }>;

/** Reserves a farm's name and forwards the request to the farm, on whichever shard it is. */
export function onFarmNamed(state: CatalogState, message: Naming, context: CatalogContext): void {
  const { type, farmId, input, replyTo } = message;
  if (type === 'farm.replace' && !state.names.has(farmId)) {
    context.reply(replyTo, refused('not-found', `there is no farm ${farmId}`));
    return;
  }
  const before = state.farmSettings.get(farmId);
  if (
    type === 'farm.replace' &&
    before !== undefined &&
    refusesOutdated('farm', SETTINGS.farm(before), message, context)
  )
    return;
  for (const [other, name] of state.names) {
    if (name !== input.name || other === farmId) continue;
    context.reply(replyTo, refused('conflict', `a farm named ${JSON.stringify(name)} already exists`));
    return;
  }
  state.names.set(farmId, input.name);
  const settings = farmSettingsOf(input, before);
  state.farmSettings.set(farmId, settings);
  context.effect({
    kind: 'forward',
    envelope: { actor: 'farm', id: farmId, message: { type, input: settings, replyTo } },
  });
  // Forwarded after the farm's creation. The farm and its lease actor are on one shard, so both exist by then.
  if (type !== 'farm.create') return;
  if (state.pools.size > 0) broadcastPools(state, farmId, context);
  if (state.storage.size > 0) broadcastStorageLocations(state, farmId, context);
}

/** Frees the name of a deleted farm. Its tokens admit no worker any more, and its credentials are revoked. */
export function onFarmRemoved(
  state: CatalogState,
  { farmId }: Extract<CatalogMessage, { type: 'farm.removed' }>,
  context: CatalogContext,
): void {
  state.names.delete(farmId);
  state.farmSettings.delete(farmId);
  revokeFarm(state, farmId, context);
}
