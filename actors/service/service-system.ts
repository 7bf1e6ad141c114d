import type { FarmId, JobId, QueueId } from '../../src/core/ids.ts';
import type { RetryPolicy } from '../../src/core/lifecycle/retry-policy.ts';
import type { Tallies } from '../../src/core/ports/tallies.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { Change } from '../../src/core/records/change-set.ts';
import type { CancelMessage } from '../../src/core/wire/bus-messages.ts';
import type { DomainEvent } from '../../src/core/wire/events.ts';
import type { Context } from '../kernel/actor.ts';
import type { ServiceEnvelope, ServiceMessages } from './service-messages.ts';

/** What the service's actors say to the world outside. */
export type ServiceEffect =
  | { readonly kind: 'event'; readonly event: DomainEvent }
  /** To the worker that runs the attempt: end it. */
  | { readonly kind: 'cancel'; readonly message: CancelMessage }
  /** To an actor that may live on another shard: delivered after the commit. */
  | { readonly kind: 'forward'; readonly envelope: ServiceEnvelope }
  /** The logs of a deleted job are to be removed; then its purge hears `purge.logs-deleted`. */
  | { readonly kind: 'delete-logs'; readonly jobId: JobId; readonly farmId: FarmId }
  /** Live tasks of a farm hold fewer slots of what is tallied (ports/tallies.ts). */
  | { readonly kind: 'release'; readonly farmId: FarmId; readonly slot: number; readonly count: number }
  /** Counts in the metrics (docs/contract/rest.md#public-routes). */
  | {
      readonly kind: 'count';
      readonly counter: 'task-retries' | 'jobs-autoparked';
      readonly queueId: QueueId;
    };

export interface ServiceSystem {
  readonly messages: ServiceMessages;
  readonly change: Change;
  readonly effect: ServiceEffect;
  readonly reader: StoreReader;
}

export type ServiceContext<K extends keyof ServiceMessages> = Context<ServiceSystem, K>;

/** Settings of the service that actors decide by. Times are milliseconds. */
export interface ServiceSettings {
  readonly heartbeatTimeoutMs: number;
  /** The server's end of the retry cascade. */
  readonly retry: RetryPolicy;
  /** How long a lease request is held when there is no work (docs/contract/limits.md#scheduling: about 30 s). */
  readonly leaseHoldMs: number;
  /** Jobs that a farm asks in one turn what they offer when it is taken up. */
  readonly recoveryBatchSize: number;
  /**
   * After this an attempt that was handed out and never reported running is taken back
   * (docs/contract/limits.md#scheduling: 30 s, fixed).
   */
  readonly staleAssignedMs: number;
  /**
   * After this a ready task that no online worker may run says why (docs/contract/workers.md#unschedulable-tasks); 0 is
   * never.
   */
  readonly unschedulableGraceMs: number;
  /** After this a task that others overtake has a worker reserved (docs/decisions/reservation.md); 0 is never. */
  readonly reservationAfterMs: number;
  /** Memory that one expression may take at a submission (`openjd.expr_memory_limit`); workers that grant less do not run jobs with EXPR. */
  readonly exprMemoryBytes: number;
  readonly retention: JobRetention;
  /** Which start of the service this is. */
  readonly serviceId: string;
  /** The least number of a new attempt: 1, and above all that were given out in a store that was restored since (docs/decisions/backup.md). */
  readonly attemptFloor: number;
  readonly tallies: Tallies;
  /** Whether a farm lives on this shard: what belongs to another shard's farm is not loaded here. */
  readonly ownsFarm: (farm: string) => boolean;
}

/** When jobs that have ended are removed (`scheduler.job_retention`, `scheduler.job_retention_include_failed`). */
export interface JobRetention {
  /** Milliseconds after their end; 0 is never. */
  readonly afterMs: number;
  /** Whether failed and canceled jobs are removed too. */
  readonly includeFailed: boolean;
}

export const LEASE_HOLD_MS = 30_000;
export const STALE_ASSIGNED_MS = 30_000;
