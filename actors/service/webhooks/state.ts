/**
 * State of the webhooks actor. A delivery is pending (in `ready`, in `inFlight`, or waiting for its timer), and then
 * delivered or failed. Invariants: `pending` has the rows of pending deliveries, at most `QUEUE_MAX` for each webhook
 * and a test; `ended` has the ids of the others, the oldest first. The actor is never evicted.
 */

import type { ReplyTo } from '../../kernel/address.ts';
import type { Outcome } from '../../../src/core/problems.ts';
import type { StoreReader } from '../../../src/core/ports/store.ts';
import type { UsagePoolRecord } from '../../../src/core/records/usage-pool.ts';
import type { WebhookDeliveryRecord, WebhookRecord } from '../../../src/core/records/webhook.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { NoticeEvent } from '../../../src/core/webhooks/notice.ts';
import type { ServiceContext } from '../service-system.ts';

export type WebhooksContext = ServiceContext<'webhooks'>;

/** A webhook with its queue. */
export interface Hook {
  record: WebhookRecord;
  readonly pending: Map<string, WebhookDeliveryRecord>;
  /** Ids of pending deliveries that can be sent, in order. */
  readonly ready: string[];
  /** Ids of deliveries that are being sent, except the test. */
  readonly inFlight: Set<string>;
  readonly ended: string[];
  test: { readonly deliveryId: string; readonly replyTo: ReplyTo<Outcome<WebhookDeliveryRecord>> } | null;
}

/** A usage pool that has no free slot. */
export interface ExhaustedPool {
  readonly since: number;
  readonly isReported: boolean;
}

export interface WebhooksState {
  /** In the order of their next turn to send. */
  readonly hooks: Map<string, Hook>;
  /** Webhooks whose record changed in this commit window. */
  readonly dirty: Set<Hook>;
  /** Events that were stored, but not queued, before the load. */
  readonly backlog: { readonly id: string; readonly event: NoticeEvent }[];
  /** Ids of the backlog whose message may still arrive. */
  readonly recovered: Set<string>;
  readonly pools: Map<string, UsagePoolRecord>;
  readonly exhausted: Map<string, ExhaustedPool>;
}

export function loadWebhooks(_id: string, reader: StoreReader): WebhooksState {
  const hooks = new Map<string, Hook>();
  for (const { key, value } of reader.scan('webhook')) hooks.set(key, newHook(value));
  for (const hook of hooks.values())
    for (const { value } of reader.scan('webhookDelivery', {
      prefix: keys.webhookDeliveriesOf(hook.record.id),
    })) {
      if (value.status === 'pending') hook.pending.set(value.id, value);
      else hook.ended.push(value.id);
    }
  const backlog = [...reader.scan('notice')].map(({ key, value }) => ({ id: key, event: value.event }));
  return {
    hooks,
    dirty: new Set(),
    backlog,
    recovered: new Set(backlog.map(({ id }) => id)),
    pools: new Map([...reader.scan('usagePool')].map(({ key, value }) => [key, value])),
    exhausted: new Map(),
  };
}

export const newHook = (record: WebhookRecord): Hook => ({
  record,
  pending: new Map(),
  ready: [],
  inFlight: new Set(),
  ended: [],
  test: null,
});

/** Changes the record of a webhook. It is written at the end of the commit window. */
export function changeHook(
  state: WebhooksState,
  hook: Hook,
  patch: Partial<WebhookRecord>,
  context: WebhooksContext,
): void {
  hook.record = { ...hook.record, ...patch };
  state.dirty.add(hook);
  context.markDirty();
}
