import type { ServiceEnvelope } from '../service-messages.ts';
import type { FarmId, JobId, QueueId } from '../../../src/core/ids.ts';
import type { EventBatch } from '../../../src/core/wire/event-batch.ts';

/** Answer to a request of a client; `to` is the number of the request on the main thread. */
export interface ClientAnswer {
  readonly to: number;
  readonly answer: unknown;
}

/** Counter of the metrics that rises by one. */
export interface CounterIncrement {
  readonly counter: 'task-retries' | 'task-preemptions' | 'jobs-autoparked';
  readonly queueId: QueueId;
}

/** Deleted job whose logs are to be removed. */
export interface LogDeletion {
  readonly jobId: JobId;
  readonly farmId: FarmId;
}

/** The bus must refuse other keys of workers than before (docs/decisions/bus-identity.md). */
export type BusNotice = 'refused-keys-changed';

/** A delivery of a webhook that the main thread sends. */
export interface WebhookOrder {
  readonly webhookId: string;
  readonly deliveryId: string;
}

/** Outputs of committed windows for the main thread, in the order of the windows. */
export interface OutboxBatch {
  readonly answers: readonly ClientAnswer[];
  readonly events: readonly EventBatch[];
  /** Messages to actors of other shards. */
  readonly forwards: readonly ServiceEnvelope[];
  readonly counts: readonly CounterIncrement[];
  readonly logDeletions: readonly LogDeletion[];
  readonly busNotices: readonly BusNotice[];
  readonly webhookOrders: readonly WebhookOrder[];
}
