import type { ActorDefinition } from '../../kernel/actor.ts';
import type { ServiceSystem } from '../service-system.ts';
import { onFarmNamed } from './on-farm.ts';
import { onLocationCreate, onLocationDelete, onLocationReplace, onLocationSeen } from './on-location.ts';
import { onPoolCreate, onPoolDelete, onPoolReplace } from './on-pool.ts';
import { onStorageCreate, onStorageDelete, onStorageReplace } from './on-storage.ts';
import { PoolSlots } from './pool-slots.ts';
import { loadCatalog, type CatalogState } from './state.ts';

/**
 * The catalog actor holds what is shared by all farms, so that each farm can live whole on one shard: the names of farms,
 * which are unique, usage pools, compute and storage locations. Lease actors are told of every change of the pools.
 */
export function catalogActor(): ActorDefinition<ServiceSystem, 'catalog', CatalogState> {
  const slots = new PoolSlots();
  return {
    kind: 'catalog',
    load: (id, reader) => {
      const state = loadCatalog(id, reader);
      for (const { slot } of state.pools.values()) slots.keep(slot);
      return state;
    },
    onMissing: () => null,
    handlers: {
      'farm.create': onFarmNamed,
      'farm.replace': onFarmNamed,
      'farm.removed': (state, { farmId }) => {
        state.names.delete(farmId);
      },
      'pool.create': onPoolCreate(slots),
      'pool.replace': onPoolReplace,
      'pool.delete': onPoolDelete,
      'location.create': onLocationCreate,
      'location.replace': onLocationReplace,
      'location.delete': onLocationDelete,
      'location.seen': onLocationSeen,
      'storage.create': onStorageCreate,
      'storage.replace': onStorageReplace,
      'storage.delete': onStorageDelete,
    },
  };
}
