import type { RegexEngine } from '../../src/openjd/expr/regex/regex-engine.ts';
import type { FarmId, JobId, QueueId, WorkerId } from '../../src/core/ids.ts';
import type { RetryPolicy } from '../../src/core/lifecycle/retry-policy.ts';
import type { Tallies } from '../../src/core/ports/tallies.ts';
import type { WebhookPresence } from '../../src/core/ports/webhook-presence.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { AuditSettings } from '../../src/core/records/audit-entry.ts';
import type { SingleBus } from '../../src/core/records/worker.ts';
import type { Change } from '../../src/core/records/change-set.ts';
import type { CancelMessage } from '../../src/core/wire/bus-messages.ts';
import type { DomainEvent, TaskEvent } from '../../src/core/wire/events.ts';
import type { Context } from '../kernel/actor.ts';
import type { ServiceEnvelope, ServiceMessages } from './service-messages.ts';

/** Outputs of the service's actors. */
export type ServiceEffect =
  | { readonly kind: 'event'; readonly event: DomainEvent }
  /** Events of tasks of a job that have changed together. They are built only if the job has a subscriber. */
  | { readonly kind: 'task-events'; readonly jobId: JobId; readonly events: () => readonly TaskEvent[] }
  /** Asks the worker that runs the attempt to end it. */
  | { readonly kind: 'cancel'; readonly workerId: WorkerId; readonly message: CancelMessage }
  /**
   * Makes a round trip to the bus on the connection of this shard. Answered by the worker's `bus.confirmed`; no answer if
   * the bus does not reply.
   */
  | { readonly kind: 'confirm-bus'; readonly workerId: WorkerId; readonly askedAt: number }
  /** A message to an actor that may be on another shard. Delivered after the commit. */
  | { readonly kind: 'forward'; readonly envelope: ServiceEnvelope }
  /** The bus must refuse other keys of workers than before: those in the table of credentials. */
  | { readonly kind: 'refused-keys-changed' }
  /** Sends a delivery of a webhook. Answered by `webhook.attempted`. */
  | { readonly kind: 'send-webhook'; readonly webhookId: string; readonly deliveryId: string }
  /** Deletes the logs of a deleted job. The purge then receives `purge.logs-deleted`. */
  | { readonly kind: 'delete-logs'; readonly jobId: JobId; readonly farmId: FarmId }
  /** Live tasks of a farm hold fewer slots of a tally (src/core/ports/tallies.ts). */
  | { readonly kind: 'release'; readonly farmId: FarmId; readonly slot: number; readonly count: number }
  /** Increments a metric (docs/contract/rest.md#public-routes). */
  | {
      readonly kind: 'count';
      readonly counter: 'task-retries' | 'task-preemptions' | 'jobs-autoparked';
      readonly queueId: QueueId;
    };

export interface ServiceSystem {
  readonly messages: ServiceMessages;
  readonly change: Change;
  readonly effect: ServiceEffect;
  readonly reader: StoreReader;
}

export type ServiceContext<K extends keyof ServiceMessages> = Context<ServiceSystem, K>;

/** Settings of the service's actors. Times are in milliseconds. */
export interface ServiceSettings {
  /** Time of silence after which a worker is offline. */
  readonly heartbeatTimeoutMs: number;
  /** Time of silence after which the tasks of a worker are reclaimed, at least the heartbeat timeout. */
  readonly reclaimAfterMs: number;
  /** Returns the bus of the current connection; null if it is not one single server, or not known yet. */
  readonly singleBus: () => SingleBus | null;
  /** Default retry policy of the server, the last step of the retry cascade. */
  readonly retry: RetryPolicy;
  /** Time that a lease request is held while there is no work (docs/contract/limits.md#scheduling: about 30 s). */
  readonly leaseHoldMs: number;
  /** Number of jobs per turn that a farm activates while it recovers. */
  readonly recoveryBatchSize: number;
  /**
   * An assigned attempt that never reports running is reclaimed after this time (docs/contract/limits.md#scheduling: 30
   * s, fixed).
   */
  readonly staleAssignedMs: number;
  /**
   * A ready task that no online worker can run gets an unschedulable reason after this time
   * (docs/contract/workers.md#unschedulable-tasks). 0: never.
   */
  readonly unschedulableGraceMs: number;
  /** A worker is reserved for a task that others overtake after this time (docs/decisions/reservation.md). 0: never. */
  readonly reservationAfterMs: number;
  /**
   * Memory limit in bytes of one expression at submission (`openjd.expr_memory_limit`). Workers that grant less do not
   * run jobs with EXPR.
   */
  readonly exprMemoryBytes: number;
  readonly retention: JobRetention;
  readonly audit: AuditSettings;
  readonly webhooks: WebhookSettings;
  readonly workers: WorkerLimits;
  /** Id of this start of the service. */
  readonly serviceId: string;
  /** Epoch in which this node owns the farms; null on a single node. */
  readonly epoch: number | null;
  /**
   * Smallest number of a new attempt: 1, or after a restore a number above all attempts of the restored store
   * (docs/decisions/backup.md).
   */
  readonly attemptFloor: number;
  readonly tallies: Tallies;
  /** Finds the patterns of retry rules. */
  readonly regex: RegexEngine;
  /** Reports whether this shard owns the farm. State of other shards' farms is not loaded here. */
  readonly ownsFarm: (farm: string) => boolean;
}

/** Retention of ended jobs (`scheduler.job_retention`, `scheduler.job_retention_include_failed`). */
export interface JobRetention {
  /** Milliseconds between the end of a job and its deletion. 0: never deleted. */
  readonly afterMs: number;
  /** Whether failed and canceled jobs are deleted too. */
  readonly includeFailed: boolean;
}

/** Settings of notifications (docs/webhooks.md). Times are in milliseconds. */
export interface WebhookSettings {
  /** Time after an event in which its delivery is retried. */
  readonly retryForMs: number;
  readonly poolExhaustedAfterMs: number;
  readonly presence: WebhookPresence;
}

/** Bounds of the table of workers (`scheduler.max_workers_per_farm`, `scheduler.worker_retention`). */
export interface WorkerLimits {
  readonly perFarm: number;
  /** Milliseconds after the last heartbeat when an offline worker that never had a task is removed. 0: never. */
  readonly retentionMs: number;
}

export const LEASE_HOLD_MS = 30_000;
export const STALE_ASSIGNED_MS = 30_000;
