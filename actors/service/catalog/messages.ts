import type { IfMatch } from '../../../src/core/records/settings-version.ts';
import type { FarmId, WorkerId } from '../../../src/core/ids.ts';
import type { Namesake } from '../../../src/core/bus-identity/join-decision.ts';
import type { JoinTokenRecord } from '../../../src/core/records/join-token.ts';
import type { WorkerCredentialRecord } from '../../../src/core/records/worker-credential.ts';
import type { OutageSetting } from '../../../src/core/outages/outage.ts';
import type { BookedAmountsSetting } from '../../../src/core/records/farm.ts';
import type { QueuePolicySetting } from '../../../src/core/records/queue-policy.ts';
import type { FarmSettings } from '../farm/messages.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import type { StorageLocationRecord, StorageRoot } from '../../../src/core/records/storage-location.ts';
import type { Outcome } from '../../../src/core/problems.ts';
import type { FarmRecord } from '../../../src/core/records/farm.ts';
import type { ProductDefinition } from '../../../src/core/products/product-definition.ts';
import type { ProductRecord } from '../../../src/core/records/product.ts';
import type { Measurement } from '../../../src/core/pools/measured-slots.ts';
import type { PoolShortage } from '../../../src/core/retry-rules/pool-hold.ts';
import type { RetryRule } from '../../../src/core/retry-rules/retry-rule.ts';
import type { PoolCounts, UsagePoolRecord } from '../../../src/core/records/usage-pool.ts';
import type { ComputeLocationRecord } from '../../../src/core/records/compute-location.ts';

/** Id of the only catalog actor, which is on the first shard. */
export const CATALOG_ID = 'catalog';

/** Settings of a usage pool that a client can change. */
export interface PoolInput {
  readonly name: string;
  readonly maxConcurrent: number;
  /** Free text; may be empty. */
  readonly serverHint: string;
  /** An empty list removes the stored rules; absent keeps them. */
  readonly retryRules?: readonly RetryRule[];
  /** Absent keeps the stored value. */
  readonly counts?: 'tasks' | PoolCounts;
}

/** Settings of a compute location that a client can change. */
export interface LocationInput {
  readonly name: string;
  readonly description: string;
}

/** Settings of a storage location that a client can change. */
export interface StorageInput {
  readonly name: string;
  readonly description: string;
  readonly roots: readonly StorageRoot[];
}

/** A new token. `digest` is the SHA-256 of its secret. */
export type TokenInput = Pick<JoinTokenRecord, 'digest' | 'farmId' | 'tags' | 'uses' | 'createdBy'> & {
  /** Milliseconds. */
  readonly lifetimeMs: number;
};

/** A worker that joins with a token, whose secret the sender has checked. */
export interface JoinRequest {
  readonly tokenId: string;
  readonly name: string;
  /** Its NKEY public key. */
  readonly key: string;
  /** The registered workers of that name in the farms in which it may register. */
  readonly namesakes: readonly Namesake[];
  /** Lifetime of the key in milliseconds. */
  readonly lifetimeMs: number;
}

/** Settings of a farm as a client sends them. */
export interface FarmInput extends Omit<
  FarmSettings,
  'bookedAmounts' | 'quarantine' | 'queuePolicy' | 'outages'
> {
  /** Absent parts keep the stored values. No names: only cores are booked. */
  readonly bookedAmounts?: Partial<Omit<BookedAmountsSetting, 'version'>>;
  /** Absent parts keep the stored values. */
  readonly queuePolicy?: Partial<Omit<QueuePolicySetting, 'version'>>;
  /** Whether workers are put in quarantine. Absent keeps the stored value. */
  readonly quarantine?: boolean;
  /** Absent parts keep the stored values. */
  readonly outages?: Partial<Omit<OutageSetting, 'version'>>;
}

/**
 * Messages of the catalog actor, which owns the data that all farms share: names of farms, usage pools, compute and
 * storage locations, products, join tokens and credentials of workers. All requests with `replyTo` come from clients.
 */
export type CatalogMessage =
  /** Replies with the FarmRecord (through the farm), or `conflict` if a farm of that name exists. */
  | {
      readonly type: 'farm.create';
      /** Id of the new farm, created by the main thread. */
      readonly farmId: FarmId;
      readonly input: FarmInput;
      readonly replyTo: ReplyTo<Outcome<FarmRecord>>;
    }
  /**
   * Replies with the FarmRecord (through the farm); `not-found` for an unknown farm, `conflict` if another farm has the
   * name.
   */
  | {
      readonly type: 'farm.replace';
      readonly farmId: FarmId;
      readonly input: FarmInput;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<FarmRecord>>;
    }
  /** From a farm actor that has deleted its farm. */
  | { readonly type: 'farm.removed'; readonly farmId: FarmId }
  /**
   * Replies with the UsagePoolRecord; `conflict` if a pool has the name, ignoring case, or if there is no free slot.
   */
  | {
      readonly type: 'pool.create';
      readonly input: PoolInput;
      readonly replyTo: ReplyTo<Outcome<UsagePoolRecord>>;
    }
  /** Replies with the UsagePoolRecord; `not-found` for an unknown pool, `conflict` if another pool has the name. */
  | {
      readonly type: 'pool.replace';
      readonly poolId: string;
      readonly input: PoolInput;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<UsagePoolRecord>>;
    }
  /** From a job: a retry rule has found a shortage. Holds the pool back (docs/retry-rules.md#requeue). */
  | { readonly type: 'pool.shortage'; readonly pool: string; readonly shortage: PoolShortage }
  /** From the main thread, once, before any measurement: the pools that have a source, in lower case. Others lose what was measured. */
  | { readonly type: 'pool.sources'; readonly pools: readonly string[] }
  /** From the main thread: the source of a pool, in lower case, was asked (docs/policy.md#measured-pools). */
  | { readonly type: 'pool.measured'; readonly pool: string; readonly result: Measurement }
  /** Replies with null; `not-found` for an unknown pool. */
  | {
      readonly type: 'pool.delete';
      readonly poolId: string;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<null>>;
    }
  /** Replies with the ComputeLocationRecord; `conflict` if a location has the name. */
  | {
      readonly type: 'location.create';
      readonly input: LocationInput;
      readonly replyTo: ReplyTo<Outcome<ComputeLocationRecord>>;
    }
  /**
   * Replies with the ComputeLocationRecord; `not-found` for an unknown location, `conflict` if another one has the
   * name.
   */
  | {
      readonly type: 'location.replace';
      readonly locationId: string;
      readonly input: LocationInput;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<ComputeLocationRecord>>;
    }
  /** Replies with null; `not-found` for an unknown location. */
  | {
      readonly type: 'location.delete';
      readonly locationId: string;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<null>>;
    }
  /** From a worker actor: the compute location that a worker reports. The name is not validated yet. */
  | { readonly type: 'location.seen'; readonly name: string }
  /**
   * Replies with the StorageLocationRecord; `conflict` if a storage location has the name or the roots are too long.
   */
  | {
      readonly type: 'storage.create';
      readonly input: StorageInput;
      readonly replyTo: ReplyTo<Outcome<StorageLocationRecord>>;
    }
  /**
   * Replies with the StorageLocationRecord; `not-found` for an unknown location, `conflict` if another one has the name
   * or the roots are too long.
   */
  | {
      readonly type: 'storage.replace';
      readonly storageId: string;
      readonly input: StorageInput;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<StorageLocationRecord>>;
    }
  /** Replies with null; `not-found` for an unknown location. */
  | {
      readonly type: 'storage.delete';
      readonly storageId: string;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<null>>;
    }
  /** Of a checked product. Replies with the ProductRecord; `conflict` if a product has the name. */
  | {
      readonly type: 'product.create';
      readonly definition: ProductDefinition;
      readonly source: ProductRecord['source'];
      /** Username. */
      readonly savedBy: string;
      readonly replyTo: ReplyTo<Outcome<ProductRecord>>;
    }
  /**
   * Of a checked product, from the source that the stored one has. Replies with the ProductRecord; `not-found` for an
   * unknown product, `forbidden` or `conflict` if it is from another source.
   */
  | {
      readonly type: 'product.replace';
      readonly definition: ProductDefinition;
      readonly source: ProductRecord['source'];
      readonly savedBy: string;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<ProductRecord>>;
    }
  /** Replies with null; `not-found` for an unknown product. */
  | {
      readonly type: 'product.delete';
      readonly name: string;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<null>>;
    }
  /** At the start of the first shard. */
  | { readonly type: 'catalog.activate' }
  /** The actor's own timer: expired tokens, replaced and expired keys. */
  | { readonly type: 'credentials.due' }
  /** Replies with the JoinTokenRecord; `bad-request` for an unknown farm, `conflict` if there are too many tokens. */
  | {
      readonly type: 'token.create';
      readonly input: TokenInput;
      readonly replyTo: ReplyTo<Outcome<JoinTokenRecord>>;
    }
  /** Replies with null; `not-found` for an unknown or expired token. */
  | { readonly type: 'token.revoke'; readonly tokenId: string; readonly replyTo: ReplyTo<Outcome<null>> }
  /** Replies with the credential of the worker; `forbidden` if it must not join. */
  | {
      readonly type: 'credential.join';
      readonly request: JoinRequest;
      readonly replyTo: ReplyTo<Outcome<WorkerCredentialRecord>>;
    }
  /**
   * The holder of the key `by` asks for a credential with a new key. Replies with the credential; `forbidden` if `by` is
   * not the key in use, `conflict` if the worker has too many keys.
   */
  | {
      readonly type: 'credential.renew';
      readonly workerId: WorkerId;
      readonly by: string;
      readonly key: string;
      /** Milliseconds. */
      readonly lifetimeMs: number;
      readonly replyTo: ReplyTo<Outcome<WorkerCredentialRecord>>;
    }
  /** The worker uses the key. Replies with the credential; `forbidden` if the key is not valid. */
  | {
      readonly type: 'credential.confirm';
      readonly workerId: WorkerId;
      readonly key: string;
      readonly replyTo: ReplyTo<Outcome<WorkerCredentialRecord>>;
    }
  /** From a client. Replies with the credential; `conflict` if the worker has none. */
  | {
      readonly type: 'credential.revoke';
      readonly workerId: WorkerId;
      readonly replyTo: ReplyTo<Outcome<WorkerCredentialRecord>>;
    }
  /** From a farm: a worker has registered for the first time since it joined. */
  | { readonly type: 'credential.registered'; readonly workerId: WorkerId }
  /** From a worker actor that has deleted its worker. */
  | { readonly type: 'credential.worker-removed'; readonly workerId: WorkerId };
