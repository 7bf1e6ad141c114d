import { put } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import type { ActorDefinition } from '../../kernel/actor.ts';
import type { ServiceSettings, ServiceSystem } from '../service-system.ts';
import { recordAttempt, resumeDeliveries, sendReady, takeNotice } from './deliveries.ts';
import { checkPools, onPoolsChanged, watchPools } from './exhausted-pools.ts';
import type { WebhooksMessage } from './messages.ts';
import { onAccountDeleted, onCreate, onDelete, onReplace, onRotateSecret, onTest } from './on-webhook.ts';
import { loadWebhooks, type WebhooksContext, type WebhooksState } from './state.ts';

type WebhookSettings = Pick<ServiceSettings, 'tallies' | 'webhooks'>;

/**
 * The webhooks actor owns webhooks and their deliveries (docs/decisions/webhooks.md). It queues the events of all farms,
 * and decides what is sent when. The main thread sends the requests.
 */
export function webhooksActor(
  settings: WebhookSettings,
): ActorDefinition<ServiceSystem, 'webhooks', WebhooksState> {
  const { tallies, webhooks } = settings;
  const { retryForMs, poolExhaustedAfterMs, presence } = webhooks;
  const send = (state: WebhooksState, context: WebhooksContext): void =>
    sendReady(state, retryForMs, context);
  /** Applies a change of the webhooks themselves. */
  const changed =
    <Message extends WebhooksMessage>(
      handle: (state: WebhooksState, message: Message, context: WebhooksContext) => void,
    ) =>
    (state: WebhooksState, message: Message, context: WebhooksContext): void => {
      handle(state, message, context);
      presence.set(state.hooks.size > 0);
      watchPools(state, context);
      send(state, context);
    };
  return {
    kind: 'webhooks',
    load: loadWebhooks,
    onActivated: (state, context) => {
      presence.set(state.hooks.size > 0);
      for (const hook of state.hooks.values()) resumeDeliveries(state, hook, context);
      for (const { id, event } of state.backlog.splice(0)) takeNotice(state, id, event, context);
      watchPools(state, context);
      send(state, context);
    },
    save: (state, context) => {
      for (const { record } of state.dirty) context.change(put('webhook', keys.webhook(record.id), record));
      state.dirty.clear();
    },
    onMissing: () => null,
    handlers: {
      'webhooks.activate': () => undefined,
      'webhook.create': changed(onCreate),
      'webhook.replace': changed(onReplace),
      'webhook.rotate-secret': onRotateSecret,
      'webhook.delete': changed(onDelete),
      'webhook.test': onTest,
      'webhooks.noticed': (state, { noticeId, event }, context) => {
        if (state.recovered.delete(noticeId)) return;
        takeNotice(state, noticeId, event, context);
        send(state, context);
      },
      'webhook.attempted': (state, { webhookId, deliveryId, attempt }, context) => {
        const hook = state.hooks.get(webhookId);
        if (hook !== undefined) recordAttempt(state, hook, deliveryId, attempt, retryForMs, context);
        send(state, context);
      },
      'delivery.due': (state, { webhookId, deliveryId }, context) => {
        const hook = state.hooks.get(webhookId);
        if (hook?.pending.has(deliveryId) === true) hook.ready.push(deliveryId);
        send(state, context);
      },
      'webhooks.pools-changed': onPoolsChanged,
      'pools.due': (state, _message, context) => {
        checkPools(state, { tallies, poolExhaustedAfterMs }, context);
        watchPools(state, context);
        send(state, context);
      },
      'webhooks.account-deleted': changed(onAccountDeleted),
    },
  };
}
