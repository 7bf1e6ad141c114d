import type { IfMatch } from '../../../src/core/records/settings-version.ts';
import type { ReplyTo } from '../../kernel/address.ts';
import type { Outcome } from '../../../src/core/problems.ts';
import type { UsagePoolRecord } from '../../../src/core/records/usage-pool.ts';
import type {
  DeliveryAttempt,
  WebhookDeliveryRecord,
  WebhookFilter,
  WebhookRecord,
} from '../../../src/core/records/webhook.ts';
import type { NoticeEvent } from '../../../src/core/webhooks/notice.ts';

/** Id of the only webhooks actor, which is on the first shard. */
export const WEBHOOKS_ID = 'webhooks';

/** Settings of a webhook that a client can change. */
export interface WebhookInput extends WebhookFilter {
  readonly name: string;
  /** Null keeps the stored one. */
  readonly url: string | null;
  readonly format: string;
  readonly enabled: boolean;
}

/** Messages of the webhooks actor, which owns webhooks and their deliveries (docs/decisions/webhooks.md). */
export type WebhooksMessage =
  /** At the start of the first shard. */
  | { readonly type: 'webhooks.activate' }
  /** From a client. Replies with the WebhookRecord, or `conflict` if there are too many. */
  | {
      readonly type: 'webhook.create';
      readonly input: WebhookInput & { readonly url: string };
      readonly secret: string;
      /** Username. */
      readonly createdBy: string;
      readonly replyTo: ReplyTo<Outcome<WebhookRecord>>;
    }
  /** From a client. Replies with the WebhookRecord; `not-found` for an unknown one. */
  | {
      readonly type: 'webhook.replace';
      readonly webhookId: string;
      readonly input: WebhookInput;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<WebhookRecord>>;
    }
  /** From a client: signs with another key. Replies with the WebhookRecord; `not-found` for an unknown one. */
  | {
      readonly type: 'webhook.rotate-secret';
      readonly webhookId: string;
      readonly secret: string;
      readonly replyTo: ReplyTo<Outcome<WebhookRecord>>;
    }
  /** From a client. Replies with null; `not-found` for an unknown one. */
  | {
      readonly type: 'webhook.delete';
      readonly webhookId: string;
      readonly ifMatch?: IfMatch;
      readonly replyTo: ReplyTo<Outcome<null>>;
    }
  /** From a client: sends one test. Replies when it has ended; `conflict` while another test runs. */
  | {
      readonly type: 'webhook.test';
      readonly webhookId: string;
      readonly replyTo: ReplyTo<Outcome<WebhookDeliveryRecord>>;
    }
  /** From a farm actor, after the row of the event is on disk. */
  | { readonly type: 'webhooks.noticed'; readonly noticeId: string; readonly event: NoticeEvent }
  /** From the main thread: the outcome of an attempt. */
  | {
      readonly type: 'webhook.attempted';
      readonly webhookId: string;
      readonly deliveryId: string;
      readonly attempt: DeliveryAttempt;
    }
  /** The actor's own timer: a delivery can be retried. */
  | { readonly type: 'delivery.due'; readonly webhookId: string; readonly deliveryId: string }
  /** From the catalog: all usage pools. */
  | { readonly type: 'webhooks.pools-changed'; readonly pools: readonly UsagePoolRecord[] }
  /** The actor's own timer: looks for exhausted pools. */
  | { readonly type: 'pools.due' }
  /** From the accounts actor: the account was deleted. */
  | { readonly type: 'webhooks.account-deleted'; readonly username: string };
