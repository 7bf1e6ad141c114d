import { done, refused } from '../../../src/core/problems.ts';
import { put, remove, removePrefix } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import { SETTINGS } from '../../../src/core/records/settings-version.ts';
import { NEW_HEALTH, type WebhookRecord } from '../../../src/core/records/webhook.ts';
import { timestampOf } from '../../../src/core/timestamp.ts';
import { usernameKey } from '../../../src/core/records/user.ts';
import { TEST_TYPE, type NoticeEvent } from '../../../src/core/webhooks/notice.ts';
import { newDelivery, sendDelivery, timerOf } from './deliveries.ts';
import type { WebhooksMessage } from './messages.ts';
import { changeHook, newHook, type Hook, type WebhooksContext, type WebhooksState } from './state.ts';
import { refusesOutdated } from '../refuse-outdated.ts';

type Message<Type extends WebhooksMessage['type']> = Extract<WebhooksMessage, { type: Type }>;

/** Maximum number of webhooks. */
const WEBHOOKS_MAX = 200;
/** Time for which the previous key signs as well. */
const ROTATION_MS = 24 * 3_600_000;

export function onCreate(
  state: WebhooksState,
  { input, secret, createdBy, replyTo }: Message<'webhook.create'>,
  context: WebhooksContext,
): void {
  if (state.hooks.size >= WEBHOOKS_MAX) {
    context.reply(
      replyTo,
      refused('conflict', `there are ${WEBHOOKS_MAX} webhooks already; delete one first`),
    );
    return;
  }
  const record: WebhookRecord = {
    version: 1,
    id: context.newId(),
    ...input,
    disabledReason: null,
    secret,
    previousSecret: null,
    createdBy,
    createdAt: context.now,
    updatedAt: context.now,
    health: NEW_HEALTH,
  };
  state.hooks.set(record.id, newHook(record));
  context.change(put('webhook', keys.webhook(record.id), record));
  context.reply(replyTo, done(record));
}

/** Replaces the input of a webhook. Enabling one that was disabled for status 410 resumes its pending deliveries. */
export function onReplace(
  state: WebhooksState,
  { webhookId, input, ifMatch, replyTo }: Message<'webhook.replace'>,
  context: WebhooksContext,
): void {
  const hook = state.hooks.get(webhookId);
  if (hook === undefined) {
    context.reply(replyTo, unknownWebhook(webhookId));
    return;
  }
  if (refusesOutdated('webhook', SETTINGS.webhook(hook.record), { ifMatch, replyTo }, context)) return;
  const { record } = hook;
  const patch = {
    ...input,
    url: input.url ?? record.url,
    disabledReason: input.enabled ? null : record.disabledReason,
    updatedAt: context.now,
  };
  changeHook(state, hook, patch, context);
  context.reply(replyTo, done(hook.record));
}

export function onRotateSecret(
  state: WebhooksState,
  { webhookId, secret, replyTo }: Message<'webhook.rotate-secret'>,
  context: WebhooksContext,
): void {
  const hook = state.hooks.get(webhookId);
  if (hook === undefined) {
    context.reply(replyTo, unknownWebhook(webhookId));
    return;
  }
  const previousSecret = { secret: hook.record.secret, until: context.now + ROTATION_MS };
  changeHook(state, hook, { secret, previousSecret, updatedAt: context.now }, context);
  context.reply(replyTo, done(hook.record));
}

export function onDelete(
  state: WebhooksState,
  { webhookId, ifMatch, replyTo }: Message<'webhook.delete'>,
  context: WebhooksContext,
): void {
  const hook = state.hooks.get(webhookId);
  if (hook === undefined) {
    context.reply(replyTo, unknownWebhook(webhookId));
    return;
  }
  if (refusesOutdated('webhook', SETTINGS.webhook(hook.record), { ifMatch, replyTo }, context)) return;
  state.hooks.delete(webhookId);
  state.dirty.delete(hook);
  for (const id of hook.pending.keys()) context.cancelTimer(timerOf(id));
  context.change(remove('webhook', keys.webhook(webhookId)));
  context.change(removePrefix('webhookDelivery', keys.webhookDeliveriesOf(webhookId)));
  context.change(removePrefix('webhookEvent', keys.webhookDeliveriesOf(webhookId)));
  if (hook.test !== null) context.reply(hook.test.replyTo, unknownWebhook(webhookId));
  context.reply(replyTo, done(null));
}

/** Sends a test at once, also for a disabled webhook. It is not retried. */
export function onTest(
  state: WebhooksState,
  { webhookId, replyTo }: Message<'webhook.test'>,
  context: WebhooksContext,
): void {
  const hook = state.hooks.get(webhookId);
  if (hook === undefined) {
    context.reply(replyTo, unknownWebhook(webhookId));
    return;
  }
  if (hook.test !== null) {
    context.reply(replyTo, refused('conflict', 'another test of this webhook has not ended yet'));
    return;
  }
  const event: NoticeEvent = {
    type: TEST_TYPE,
    at: timestampOf(context.now),
    farm: null,
    queue: null,
    job: null,
    worker: null,
    pool: null,
  };
  const delivery = newDelivery(hook, context.newId(), event, context);
  hook.test = { deliveryId: delivery.id, replyTo };
  sendDelivery(delivery, context);
}

/** Disables the webhooks that an account has created: its permissions have ended. */
export function onAccountDeleted(
  state: WebhooksState,
  { username }: Message<'webhooks.account-deleted'>,
  context: WebhooksContext,
): void {
  for (const hook of state.hooks.values()) {
    if (usernameKey(hook.record.createdBy) !== usernameKey(username)) continue;
    disable(state, hook, context);
  }
}

function disable(state: WebhooksState, hook: Hook, context: WebhooksContext): void {
  const { id, name, enabled } = hook.record;
  if (!enabled) return;
  context.log('warn', 'a webhook was disabled: the account that created it was deleted', {
    webhook_id: id,
    name,
  });
  const patch = { enabled: false, disabledReason: 'account-deleted', updatedAt: context.now } as const;
  changeHook(state, hook, patch, context);
}

const unknownWebhook = (id: string) => refused('not-found', `no webhook ${id}`);
