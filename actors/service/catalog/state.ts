/**
 * State of the catalog actor. No states: each entry exists or not; those of tokens and keys are in
 * src/core/bus-identity. Invariants: names are unique per kind of entry
 * (pools: ignoring case), and a farm's name is reserved before the farm is written. The actor is never evicted.
 */

import type { FarmId, WorkerId } from '../../../src/core/ids.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import type { ComputeLocationRecord } from '../../../src/core/records/compute-location.ts';
import type { JoinTokenRecord } from '../../../src/core/records/join-token.ts';
import type { ProductRecord } from '../../../src/core/records/product.ts';
import type { StorageLocationRecord } from '../../../src/core/records/storage-location.ts';
import type { UsagePoolRecord } from '../../../src/core/records/usage-pool.ts';
import type { WorkerCredentialRecord } from '../../../src/core/records/worker-credential.ts';
import type { FarmSettings } from '../farm/messages.ts';
import type { ServiceContext } from '../service-system.ts';

export type CatalogContext = ServiceContext<'catalog'>;

export interface CatalogState {
  /** Names of farms, reserved before the farm is written. */
  readonly names: Map<FarmId, string>;
  /** Latest settings of each farm, which its actor may not have yet. */
  readonly farmSettings: Map<FarmId, FarmSettings>;
  readonly pools: Map<string, UsagePoolRecord>;
  readonly locations: Map<string, ComputeLocationRecord>;
  readonly storage: Map<string, StorageLocationRecord>;
  /** By name, without their content. */
  readonly products: Map<string, Pick<ProductRecord, 'revision' | 'source' | 'createdAt'>>;
  readonly tokens: Map<string, JoinTokenRecord>;
  /** Also of deleted workers, until their keys have expired. */
  readonly credentials: Map<WorkerId, WorkerCredentialRecord>;
}

export function loadCatalog(_id: string, reader: StoreReader): CatalogState {
  return {
    names: new Map([...reader.scan('farm')].map(({ value: farm }) => [farm.id, farm.name])),
    farmSettings: new Map([...reader.scan('farm')].map(({ value: farm }) => [farm.id, farm])),
    pools: new Map([...reader.scan('usagePool')].map(({ key, value }) => [key, value])),
    locations: new Map([...reader.scan('computeLocation')].map(({ key, value }) => [key, value])),
    storage: new Map([...reader.scan('storageLocation')].map(({ key, value }) => [key, value])),
    products: new Map(
      [...reader.scan('product')].map(({ key, value: { revision, source, createdAt } }) => [
        key,
        { revision, source, createdAt },
      ]),
    ),
    tokens: new Map([...reader.scan('joinToken')].map(({ key, value }) => [key, value])),
    credentials: new Map([...reader.scan('workerCredential')].map(({ value }) => [value.workerId, value])),
  };
}
