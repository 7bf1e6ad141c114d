import { put, remove } from '../../../src/core/records/change-set.ts';
import { keys } from '../../../src/core/records/tables.ts';
import {
  wantsEvent,
  type DeliveryAttempt,
  type WebhookDeliveryRecord,
  type WebhookHealth,
} from '../../../src/core/records/webhook.ts';
import { done } from '../../../src/core/problems.ts';
import { TEST_TYPE, type NoticeEvent } from '../../../src/core/webhooks/notice.ts';
import { retryDelayMs } from '../../../src/core/webhooks/retry-delay.ts';
import { changeHook, type Hook, type WebhooksContext, type WebhooksState } from './state.ts';

/** Maximum number of pending deliveries of a webhook. */
export const QUEUE_MAX = 1_000;
/** Number of ended deliveries of a webhook that the delivery log keeps. */
export const LOG_MAX = 200;
/** Maximum number of requests at the same time: in all, of a webhook, and of one whose last attempt failed. */
const IN_FLIGHT_MAX = 32;
const IN_FLIGHT_OF_HOOK_MAX = 4;
const IN_FLIGHT_OF_FAILING_MAX = 1;
/** Maximum number of requests of failing webhooks together, so that dead receivers do not delay the others. */
const IN_FLIGHT_FAILING_MAX = 16;

const GONE = 410;

/** Queues an event for every webhook that wants it, and removes its row. */
export function takeNotice(
  state: WebhooksState,
  eventId: string,
  event: NoticeEvent,
  context: WebhooksContext,
): void {
  for (const hook of state.hooks.values())
    if (hook.record.enabled && wantsEvent(hook.record, event)) enqueue(state, hook, eventId, event, context);
  context.change(remove('notice', keys.notice(eventId)));
}

/** Queues an event for a webhook, or counts it as missed if the queue is full. */
function enqueue(
  state: WebhooksState,
  hook: Hook,
  eventId: string,
  event: NoticeEvent,
  context: WebhooksContext,
): void {
  const { id, name, health } = hook.record;
  if (hook.pending.size >= QUEUE_MAX) {
    if (health.missed === 0)
      context.log('warn', 'the queue of a webhook is full; events are missed', { webhook_id: id, name });
    const missed = { missed: health.missed + 1, missedTotal: health.missedTotal + 1 };
    changeHook(state, hook, { health: { ...health, ...missed } }, context);
    return;
  }
  const delivery = newDelivery(hook, eventId, event, context);
  hook.ready.push(delivery.id);
  changeHealth(state, hook, { missed: 0 }, context);
}

/** Stores a new delivery of a webhook. */
export function newDelivery(
  hook: Hook,
  eventId: string,
  event: NoticeEvent,
  context: WebhooksContext,
): WebhookDeliveryRecord {
  const { id: webhookId, health } = hook.record;
  const delivery: WebhookDeliveryRecord = {
    version: 1,
    id: context.newId(),
    webhookId,
    eventId,
    type: event.type,
    status: 'pending',
    attempts: 0,
    missedBefore: event.type === TEST_TYPE ? 0 : health.missed,
    createdAt: context.now,
    nextAt: context.now,
    endedAt: null,
    lastAttempt: null,
  };
  const key = keys.webhookDelivery(webhookId, delivery.id);
  context.change(put('webhookEvent', key, { version: 1, event }));
  write(hook, delivery, context);
  return delivery;
}

/** Sends as many deliveries as the limits allow. The webhooks take turns. */
export function sendReady(state: WebhooksState, retryForMs: number, context: WebhooksContext): void {
  for (let hasSent = true; hasSent;) {
    hasSent = false;
    for (const hook of [...state.hooks.values()]) {
      if (!hook.record.enabled || hook.ready.length === 0 || !mayStart(state, hook)) continue;
      const id = hook.ready.shift();
      const delivery = id === undefined ? undefined : hook.pending.get(id);
      hasSent = true;
      if (delivery === undefined) continue;
      if (context.now - delivery.createdAt >= retryForMs) {
        const lastAttempt = delivery.lastAttempt ?? notSent(context.now);
        end(state, hook, { ...delivery, status: 'failed', lastAttempt }, context);
        continue;
      }
      hook.inFlight.add(delivery.id);
      sendDelivery(delivery, context);
      // The next turn begins with the others.
      state.hooks.delete(hook.record.id);
      state.hooks.set(hook.record.id, hook);
    }
  }
}

const notSent = (at: number): DeliveryAttempt => ({
  at,
  durationMs: 0,
  status: null,
  error: 'the webhook was disabled, or the service stopped, for the whole time of the retries',
});

export function sendDelivery({ webhookId, id }: WebhookDeliveryRecord, context: WebhooksContext): void {
  context.effect({ kind: 'send-webhook', webhookId, deliveryId: id });
}

function mayStart(state: WebhooksState, { record, inFlight }: Hook): boolean {
  let all = 0;
  let ofFailing = 0;
  for (const other of state.hooks.values()) {
    all += other.inFlight.size;
    if (other.record.health.failures > 0) ofFailing += other.inFlight.size;
  }
  if (all >= IN_FLIGHT_MAX) return false;
  if (record.health.failures === 0) return inFlight.size < IN_FLIGHT_OF_HOOK_MAX;
  return inFlight.size < IN_FLIGHT_OF_FAILING_MAX && ofFailing < IN_FLIGHT_FAILING_MAX;
}

/** Records the outcome of an attempt: the delivery ends, or waits for the next attempt. */
export function recordAttempt(
  state: WebhooksState,
  hook: Hook,
  deliveryId: string,
  attempt: DeliveryAttempt,
  retryForMs: number,
  context: WebhooksContext,
): void {
  hook.inFlight.delete(deliveryId);
  const before = hook.pending.get(deliveryId);
  if (before === undefined) return;
  const delivery = { ...before, attempts: before.attempts + 1, lastAttempt: attempt };
  const isDelivered = attempt.error === null;
  if (hook.test?.deliveryId === deliveryId) {
    const { replyTo } = hook.test;
    hook.test = null;
    const ended = end(state, hook, { ...delivery, status: isDelivered ? 'delivered' : 'failed' }, context);
    context.reply(replyTo, done(ended));
    return;
  }
  const { health } = hook.record;
  if (isDelivered) {
    changeHealth(state, hook, { failures: 0, lastSuccessAt: attempt.at }, context);
    end(state, hook, { ...delivery, status: 'delivered' }, context);
    return;
  }
  const failure = {
    failures: health.failures + 1,
    lastFailureAt: attempt.at,
    lastError: attempt.error,
  };
  changeHealth(state, hook, failure, context);
  if (attempt.status === GONE) {
    context.log('warn', 'a webhook was disabled: its receiver answered with 410', {
      webhook_id: hook.record.id,
      name: hook.record.name,
    });
    const disabled = { enabled: false, disabledReason: 'gone', updatedAt: context.now } as const;
    changeHook(state, hook, disabled, context);
    end(state, hook, { ...delivery, status: 'failed' }, context);
    return;
  }
  const delayMs = retryDelayMs(delivery.attempts, deliveryId);
  if (context.now + delayMs - delivery.createdAt >= retryForMs) {
    end(state, hook, { ...delivery, status: 'failed' }, context);
    return;
  }
  write(hook, { ...delivery, nextAt: context.now + delayMs }, context);
  waitForRetry(hook, deliveryId, delayMs, context);
}

/** Continues the pending deliveries of a loaded webhook. A test does not outlive its request. */
export function resumeDeliveries(state: WebhooksState, hook: Hook, context: WebhooksContext): void {
  for (const delivery of [...hook.pending.values()]) {
    const waitMs = (delivery.nextAt ?? context.now) - context.now;
    if (delivery.type === TEST_TYPE) end(state, hook, { ...delivery, status: 'failed' }, context);
    else if (waitMs > 0) waitForRetry(hook, delivery.id, waitMs, context);
    else hook.ready.push(delivery.id);
  }
}

function waitForRetry(hook: Hook, deliveryId: string, delayMs: number, context: WebhooksContext): void {
  const { id: webhookId } = hook.record;
  context.after(timerOf(deliveryId), delayMs, { type: 'delivery.due', webhookId, deliveryId });
}

export const timerOf = (deliveryId: string): string => `retry ${deliveryId}`;

/** Ends a delivery and removes the oldest entries of the log. Returns it. */
function end(
  state: WebhooksState,
  hook: Hook,
  delivery: WebhookDeliveryRecord,
  context: WebhooksContext,
): WebhookDeliveryRecord {
  const { id: webhookId } = hook.record;
  const ended = { ...delivery, nextAt: null, endedAt: context.now };
  hook.pending.delete(delivery.id);
  context.change(put('webhookDelivery', keys.webhookDelivery(webhookId, delivery.id), ended));
  context.change(remove('webhookEvent', keys.webhookDelivery(webhookId, delivery.id)));
  hook.ended.push(delivery.id);
  for (const oldest of hook.ended.splice(0, Math.max(0, hook.ended.length - LOG_MAX)))
    context.change(remove('webhookDelivery', keys.webhookDelivery(webhookId, oldest)));
  changeHealth(state, hook, {}, context);
  return ended;
}

function write(hook: Hook, delivery: WebhookDeliveryRecord, context: WebhooksContext): void {
  hook.pending.set(delivery.id, delivery);
  const key = keys.webhookDelivery(delivery.webhookId, delivery.id);
  context.change(put('webhookDelivery', key, delivery));
}

/** Changes the health of a webhook, always with the present number of pending deliveries. */
function changeHealth(
  state: WebhooksState,
  hook: Hook,
  patch: Partial<WebhookHealth>,
  context: WebhooksContext,
): void {
  const pending = hook.pending.size - (hook.test === null ? 0 : 1);
  changeHook(state, hook, { health: { ...hook.record.health, ...patch, pending } }, context);
}
