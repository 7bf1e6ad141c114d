import { isInScope } from '../access/owner-scope.ts';
import type { FarmId, QueueId } from '../ids.ts';
import type { NoticeEvent, NoticeType } from '../webhooks/notice.ts';
import { usernameKey } from './user.ts';

/** Why the service has disabled a webhook. */
export type DisabledReason =
  /** Its receiver answered with 410. */
  | 'gone'
  /** The account that created it was deleted. */
  | 'account-deleted';

/** Events that a webhook receives: those that match all filters. Null: any. */
export interface WebhookFilter {
  readonly events: readonly NoticeType[];
  readonly farmId: FarmId | null;
  readonly queueId: QueueId | null;
  /** Username of the owner of jobs. */
  readonly owner: string | null;
}

/** A webhook (docs/webhooks.md). Times are milliseconds since the epoch. */
export interface WebhookRecord extends WebhookFilter {
  readonly version: 1;
  readonly id: string;
  readonly name: string;
  /** Often contains a secret of the receiver: clients see only its origin. */
  readonly url: string;
  /** Name of the format of the body. */
  readonly format: string;
  readonly enabled: boolean;
  /** Null unless the service has disabled it. */
  readonly disabledReason: DisabledReason | null;
  /** Key of the signature. No response contains it after its creation. */
  readonly secret: string;
  /** The key before the last rotation, which signs as well until that time. */
  readonly previousSecret: { readonly secret: string; readonly until: number } | null;
  /** Username. */
  readonly createdBy: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly health: WebhookHealth;
}

/** Outcome of the deliveries of a webhook so far. Tests do not count. */
export interface WebhookHealth {
  /** Number of deliveries that are not delivered yet. */
  readonly pending: number;
  /** Number of failed attempts since the last successful one. */
  readonly failures: number;
  /** Number of events, since the last one that was queued, that found the queue full. */
  readonly missed: number;
  /** Number of all such events. */
  readonly missedTotal: number;
  readonly lastSuccessAt: number | null;
  readonly lastFailureAt: number | null;
  readonly lastError: string | null;
}

export const NEW_HEALTH: WebhookHealth = {
  pending: 0,
  failures: 0,
  missed: 0,
  missedTotal: 0,
  lastSuccessAt: null,
  lastFailureAt: null,
  lastError: null,
};

/** Outcome of one attempt. */
export interface DeliveryAttempt {
  /** When it ended. */
  readonly at: number;
  readonly durationMs: number;
  /** Status of the response; null without one. */
  readonly status: number | null;
  /** Why it failed; null if it succeeded. */
  readonly error: string | null;
}

/** One event for one webhook. It is retried under the same id. Times are milliseconds since the epoch. */
export interface WebhookDeliveryRecord {
  readonly version: 1;
  readonly id: string;
  readonly webhookId: string;
  /** Id of the event, the same for all webhooks. */
  readonly eventId: string;
  readonly type: NoticeEvent['type'];
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly attempts: number;
  /** Number of events before this one that were not queued. */
  readonly missedBefore: number;
  readonly createdAt: number;
  /** Time of the next attempt while it is pending. */
  readonly nextAt: number | null;
  readonly endedAt: number | null;
  readonly lastAttempt: DeliveryAttempt | null;
}

/** The event of a pending delivery, and an event that no webhook was notified of yet. */
export interface NoticeRecord {
  readonly version: 1;
  readonly event: NoticeEvent;
}

/** Reports whether a webhook receives an event. An event without a farm, queue or job matches no filter by it. */
export const wantsEvent = (
  { events, farmId, queueId, owner }: WebhookFilter,
  { type, farm, queue, job }: NoticeEvent,
): boolean =>
  events.some((each) => each === type) &&
  (farmId === null || farm?.id === farmId) &&
  (queueId === null || queue?.id === queueId) &&
  (owner === null || (job !== null && isInScope(usernameKey(owner), job.owner)));
