import type { JobSubmission, WorkerIdentity } from '../../actors/service/farm/messages.ts';
import type { ReplyTo } from '../../actors/kernel/address.ts';
import type { AuditSettings } from '../../src/core/records/audit-entry.ts';
import type { Outcome } from '../../src/core/problems.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import type { RequestOrigin } from '../../src/core/records/work-cause.ts';
import type { StandingMemory } from '../../src/adapters/cluster/standing.ts';
import type { MessagePort } from 'node:worker_threads';
import type { LogLevel } from '../../actors/kernel/actor.ts';
import type { ServiceEnvelope } from '../../actors/service/service-messages.ts';
import type { BucketCounts } from '../../src/core/metrics/buckets.ts';
import type { LeaseCounts } from '../../src/core/metrics/lease-waits.ts';
import type { StateCounts } from '../../src/core/metrics/state-counts.ts';
import type { EventLoopLag } from '../../src/adapters/system/event-loop-lag.ts';
import type { PresenceMemory } from '../../src/adapters/system/shared-presence.ts';
import type { JobRetention, WebhookSettings, WorkerLimits } from '../../actors/service/service-system.ts';
import type { RetryPolicy } from '../../src/core/lifecycle/retry-policy.ts';
import type { FollowedMemory } from '../../src/adapters/system/followed-jobs.ts';
import type { TallyMemory } from '../../src/adapters/system/shared-tallies.ts';
import type { Share } from '../../src/core/lease/committed-shares.ts';
import type { PlanInParts } from '../../src/core/ports/large-jobs.ts';
import type { BusEvent } from '../../src/core/ports/bus.ts';
import type { FarmId } from '../../src/core/ids.ts';
import type { BusIdentityRule } from '../../src/adapters/nats/service-bus.ts';
import type { ServerList } from '../../src/adapters/nats/server-address.ts';
import type { OutboxBatch } from '../../actors/service/gateway/outbox-batch.ts';

/**
 * Version of the messages between the main thread and a shard's thread. Messages are batched: one per commit window.
 */
export const SHARD_PROTOCOL_VERSION = 1;

/** Period in which a thread sends its measures, and maximum age of metrics. */
export const MEASURE_PERIOD_MS = 1000;

/** Measures of a shard. Counts are since the last message. */
export interface ShardMeasures {
  readonly state: StateCounts;
  readonly parkedRequests: number;
  readonly leases: LeaseCounts;
  /** Seconds from a commit window's last turn until it is on disk. */
  readonly commits: BucketCounts;
  readonly redeliveries: { readonly status: number; readonly presence: number };
  readonly lag: EventLoopLag;
}

/** Options of a shard's thread. */
export interface ShardOptions {
  readonly index: number;
  readonly count: number;
  /** Directory of the state store. */
  readonly stateDirectory: string;
  /** Servers of the connection for requests and replies. */
  readonly bus: ServerList;
  /** Servers of the connection for streams. */
  readonly busStreams: ServerList;
  /** Whether each worker has a credential of its own, and its subjects end with its id. */
  readonly isBusScoped: boolean;
  readonly heartbeatTimeoutMs: number;
  readonly reclaimAfterMs: number;
  /** How a bus of one server identifies itself to workers; null if it must not. */
  readonly busIdentity: BusIdentityRule | null;
  /** `bus.replicas`; null if it is not set. */
  readonly busReplicas: number | null;
  /** Proof of the identity of a worker on the bus. */
  readonly workerIdentity: WorkerIdentity['kind'];
  readonly retry: RetryPolicy;
  readonly unschedulableGraceMs: number;
  readonly reservationAfterMs: number;
  readonly exprMemoryBytes: number;
  readonly retention: JobRetention;
  readonly audit: AuditSettings;
  readonly webhooks: Omit<WebhookSettings, 'presence'>;
  readonly webhookPresence: PresenceMemory;
  readonly workers: WorkerLimits;
  /** Identifies this start of the service. */
  readonly serviceId: string;
  /** Epoch in which this node owns the farms; null on a single node. */
  readonly epoch: number | null;
  /** Minimum number of a new attempt. */
  readonly attemptFloor: number;
  readonly tallies: TallyMemory;
  /** The counts of all farms that the memory contains already. */
  readonly shares: readonly Share[];
  readonly followed: FollowedMemory;
  /** The standing of this node in its cluster; null on a single node. */
  readonly standing: StandingMemory | null;
  /** This shard's end of the port to the store thread. */
  readonly storePort: MessagePort;
  readonly controlPort: MessagePort;
}

/** Options of a shard's thread that waits for a takeover. */
export interface StandbyOptions {
  readonly index: number;
  readonly count: number;
  readonly stateDirectory: string;
  readonly retry: RetryPolicy;
  /** A port of `StoreThread.watchJobs`. */
  readonly jobsPort: MessagePort;
}

/** Data with which a shard's thread is started: it begins at once, or stands by. */
export type ShardStart = ShardOptions | { readonly standby: StandbyOptions };

/** From the main thread to a shard in standby. The ports of the options are transferred. */
export type StandbyCommand =
  | {
      readonly v: typeof SHARD_PROTOCOL_VERSION;
      readonly type: 'begin';
      readonly options: ShardOptions;
    }
  | { readonly v: typeof SHARD_PROTOCOL_VERSION; readonly type: 'end-standby' };

/** From the main thread: requests of clients, and messages that other shards have forwarded. */
export interface PostCommand {
  readonly v: typeof SHARD_PROTOCOL_VERSION;
  readonly type: 'post';
  readonly envelopes: readonly ServiceEnvelope[];
}

/** From the main thread: the total of a slot has fallen for which farms of this shard wait. */
export interface CapacityFreedCommand {
  readonly v: typeof SHARD_PROTOCOL_VERSION;
  readonly type: 'capacity-freed';
  readonly slot: number;
}

/** From the main thread: a job for a farm of this shard, as its message `job.submit` with the plan in parts. */
export interface SubmitCommand {
  readonly v: typeof SHARD_PROTOCOL_VERSION;
  readonly type: 'submit';
  readonly farm: FarmId;
  readonly submission: Omit<JobSubmission, 'plan'>;
  readonly plan: PlanInParts;
  readonly replyTo: ReplyTo<Outcome<JobRecord>>;
  readonly origin: RequestOrigin | null;
}

/** From the main thread: whether this node of a cluster is certain to own the farms. It is when the shards start. */
export interface OwnershipCommand {
  readonly v: typeof SHARD_PROTOCOL_VERSION;
  readonly type: 'ownership';
  readonly isCertain: boolean;
}

export type ShardCommand = OwnershipCommand | PostCommand | CapacityFreedCommand | SubmitCommand;

export type ShardNotice =
  | (OutboxBatch & { readonly v: typeof SHARD_PROTOCOL_VERSION; readonly type: 'outbox' })
  | {
      readonly v: typeof SHARD_PROTOCOL_VERSION;
      readonly type: 'log';
      readonly level: LogLevel;
      readonly text: string;
      readonly attributes: Readonly<Record<string, string>>;
    }
  | { readonly v: typeof SHARD_PROTOCOL_VERSION; readonly type: 'bus'; readonly event: BusEvent }
  | { readonly v: typeof SHARD_PROTOCOL_VERSION; readonly type: 'measured'; readonly measures: ShardMeasures }
  /** The total of a slot has fallen for which farms of these shards wait. */
  | {
      readonly v: typeof SHARD_PROTOCOL_VERSION;
      readonly type: 'capacity-freed';
      readonly slot: number;
      readonly shards: readonly number[];
    };

/** Control calls to a shard. */
export interface ShardControl {
  /** Returns null if the bus replies within the time, otherwise the reason. */
  checkBus(timeoutMs: number): Promise<string | null>;
  /** Answers parked lease requests, and later ones with no tasks. Resolves when the parked requests are answered. */
  stopLeasing(): Promise<void>;
  /** Disconnects from the bus, processes the queued messages, waits for their commits and closes the store. */
  stop(): Promise<void>;
}
