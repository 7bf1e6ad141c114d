import type { FarmId } from '../../../src/core/ids.ts';
import type { StorageLocationRecord, StorageRoot } from '../../../src/core/records/storage-location.ts';
import type { FarmInput } from '../farm/messages.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import type { Outcome } from '../../../src/core/problems.ts';
import type { FarmRecord } from '../../../src/core/records/farm.ts';
import type { UsagePoolRecord } from '../../../src/core/records/usage-pool.ts';
import type { ComputeLocationRecord } from '../../../src/core/records/compute-location.ts';

/** The one catalog of the service has this id, and lives on the first shard. */
export const CATALOG_ID = 'catalog';

/** What a client may set of a usage pool. */
export interface PoolInput {
  readonly name: string;
  readonly maxConcurrent: number;
  /** Empty when there is none. */
  readonly serverHint: string;
}

/** What a client may set of a compute location. */
export interface LocationInput {
  readonly name: string;
  readonly description: string;
}

/** What a client may set of a storage location. */
export interface StorageInput {
  readonly name: string;
  readonly description: string;
  readonly roots: readonly StorageRoot[];
}

/** The catalog actor: what is shared by all farms. Names of farms, usage pools, compute and storage locations. */
export type CatalogMessage =
  /** Answer: FarmRecord. 409 when a farm of that name exists. */
  | {
      readonly type: 'farm.create';
      /** The new farm's id, made by the front. */
      readonly farmId: FarmId;
      readonly input: FarmInput;
      readonly replyTo: ReplyTo<Outcome<FarmRecord>>;
    }
  /** Answer: FarmRecord. 404 for an unknown farm, 409 when another farm has the name. */
  | {
      readonly type: 'farm.replace';
      readonly farmId: FarmId;
      readonly input: FarmInput;
      readonly replyTo: ReplyTo<Outcome<FarmRecord>>;
    }
  /** From a farm actor that has removed its farm. */
  | { readonly type: 'farm.removed'; readonly farmId: FarmId }
  /** Answer: UsagePoolRecord. 409 when a pool has the name in upper or lower case, or no more can be counted. */
  | {
      readonly type: 'pool.create';
      readonly input: PoolInput;
      readonly replyTo: ReplyTo<Outcome<UsagePoolRecord>>;
    }
  /** Answer: UsagePoolRecord. 404 for an unknown pool, 409 when another pool has the name. */
  | {
      readonly type: 'pool.replace';
      readonly poolId: string;
      readonly input: PoolInput;
      readonly replyTo: ReplyTo<Outcome<UsagePoolRecord>>;
    }
  /** Answer: null. 404 for an unknown pool. */
  | { readonly type: 'pool.delete'; readonly poolId: string; readonly replyTo: ReplyTo<Outcome<null>> }
  /** Answer: ComputeLocationRecord. 409 when a location has the name. */
  | {
      readonly type: 'location.create';
      readonly input: LocationInput;
      readonly replyTo: ReplyTo<Outcome<ComputeLocationRecord>>;
    }
  /** Answer: ComputeLocationRecord. 404 for an unknown location, 409 when another one has the name. */
  | {
      readonly type: 'location.replace';
      readonly locationId: string;
      readonly input: LocationInput;
      readonly replyTo: ReplyTo<Outcome<ComputeLocationRecord>>;
    }
  /** Answer: null. 404 for an unknown location. */
  | {
      readonly type: 'location.delete';
      readonly locationId: string;
      readonly replyTo: ReplyTo<Outcome<null>>;
    }
  /** From a worker actor: a worker reports this place. What it reports is its own: the name may be none. */
  | { readonly type: 'location.seen'; readonly name: string }
  /** Answer: StorageLocationRecord. 409 when a storage location has the name. */
  | {
      readonly type: 'storage.create';
      readonly input: StorageInput;
      readonly replyTo: ReplyTo<Outcome<StorageLocationRecord>>;
    }
  /** Answer: StorageLocationRecord. 404 for an unknown location, 409 when another one has the name. */
  | {
      readonly type: 'storage.replace';
      readonly storageId: string;
      readonly input: StorageInput;
      readonly replyTo: ReplyTo<Outcome<StorageLocationRecord>>;
    }
  /** Answer: null. 404 for an unknown location. */
  | { readonly type: 'storage.delete'; readonly storageId: string; readonly replyTo: ReplyTo<Outcome<null>> };
