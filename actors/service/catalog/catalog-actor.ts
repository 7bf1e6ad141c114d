import type { ActorDefinition } from '../../kernel/actor.ts';
import type { ServiceSystem } from '../service-system.ts';
import {
  onConfirm,
  onCredentialsDue,
  onJoin,
  onRegistered,
  onRenew,
  onRevoke,
  onWorkerRemoved,
} from './on-credential.ts';
import { watchCredentials } from './credential-rows.ts';
import { onFarmNamed, onFarmRemoved } from './on-farm.ts';
import { onLocationCreate, onLocationDelete, onLocationReplace, onLocationSeen } from './on-location.ts';
import {
  onPoolCreate,
  onPoolDelete,
  onPoolMeasured,
  onPoolReplace,
  onPoolShortage,
  onPoolSources,
} from './on-pool.ts';
import { onProductCreate, onProductDelete, onProductReplace } from './on-product.ts';
import { onStorageCreate, onStorageDelete, onStorageReplace } from './on-storage.ts';
import { PoolSlots } from './pool-slots.ts';
import { onTokenCreate, onTokenRevoke } from './on-token.ts';
import { loadCatalog, type CatalogState } from './state.ts';

/**
 * The catalog actor owns the data that all farms share, so that each farm can be on one shard: the unique names of
 * farms, usage pools, compute and storage locations, products, join tokens and credentials of workers. Sends changes of pools and storage locations to all
 * lease actors.
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
    onActivated: watchCredentials,
    onMissing: () => null,
    handlers: {
      'catalog.activate': () => undefined,
      'credentials.due': onCredentialsDue,
      'farm.create': onFarmNamed,
      'farm.replace': onFarmNamed,
      'farm.removed': onFarmRemoved,
      'pool.create': onPoolCreate(slots),
      'pool.replace': onPoolReplace,
      'pool.shortage': onPoolShortage,
      'pool.sources': onPoolSources,
      'pool.measured': onPoolMeasured,
      'pool.delete': onPoolDelete,
      'location.create': onLocationCreate,
      'location.replace': onLocationReplace,
      'location.delete': onLocationDelete,
      'location.seen': onLocationSeen,
      'storage.create': onStorageCreate,
      'storage.replace': onStorageReplace,
      'storage.delete': onStorageDelete,
      'product.create': onProductCreate,
      'product.replace': onProductReplace,
      'product.delete': onProductDelete,
      'token.create': onTokenCreate,
      'token.revoke': onTokenRevoke,
      'credential.join': onJoin,
      'credential.renew': onRenew,
      'credential.confirm': onConfirm,
      'credential.revoke': onRevoke,
      'credential.registered': onRegistered,
      'credential.worker-removed': onWorkerRemoved,
    },
  };
}
