import type { WebhookOrder } from '../../actors/service/gateway/outbox-batch.ts';
import { WEBHOOKS_ID } from '../../actors/service/webhooks/messages.ts';
import type { Actors } from '../../http/ports.ts';
import { postWebhook } from '../../src/adapters/webhooks/post-webhook.ts';
import { signatureOf } from '../../src/adapters/webhooks/signature.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { NoticeRecord, WebhookDeliveryRecord, WebhookRecord } from '../../src/core/records/webhook.ts';
import { messageBody } from '../../src/core/webhooks/message-body.ts';
import { GENERIC_FORMAT, type MessageFormat } from '../../src/core/webhooks/message-format.ts';
import type { AllowedTargets } from '../../src/core/webhooks/target-address.ts';

interface SenderPorts {
  /** The next read sees all earlier commits. */
  readonly store: StoreReader & { refresh(): void };
  readonly actors: Pick<Actors, 'tell'>;
  readonly formats: () => Promise<ReadonlyMap<string, MessageFormat>>;
  readonly allowed: AllowedTargets;
  readonly publicUrl: string | null;
  readonly version: string;
  readonly now: () => number;
}

interface Row {
  readonly webhook: WebhookRecord;
  readonly delivery: WebhookDeliveryRecord;
  readonly notice: NoticeRecord;
}

/**
 * Sends deliveries of webhooks and reports each outcome to the webhooks actor, which decides how many there are at a time.
 * After `close`, running requests end without an outcome: the next start of the service sends them again.
 */
export class WebhookSender {
  readonly #ports: SenderPorts;
  readonly #stopped = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(ports: SenderPorts) {
    this.#ports = ports;
  }

  send(order: WebhookOrder): void {
    if (this.#stopped.signal.aborted) return;
    const running = this.#send(order).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async close(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#running);
  }

  async #send(order: WebhookOrder): Promise<void> {
    const row = this.#read(order);
    // The webhook was deleted meanwhile.
    if (row === null) return;
    const { actors, now } = this.#ports;
    const startedAt = now();
    const { status, error } = await this.#post(row);
    if (this.#stopped.signal.aborted) return;
    const at = now();
    const attempt = { at, durationMs: Math.max(0, at - startedAt), status, error };
    actors.tell({
      actor: 'webhooks',
      id: WEBHOOKS_ID,
      message: { type: 'webhook.attempted', ...order, attempt },
    });
  }

  #read({ webhookId, deliveryId }: WebhookOrder): Row | null {
    const { store } = this.#ports;
    store.refresh();
    const key = keys.webhookDelivery(webhookId, deliveryId);
    const webhook = store.get('webhook', keys.webhook(webhookId));
    const delivery = store.get('webhookDelivery', key);
    const notice = store.get('webhookEvent', key);
    return webhook === undefined || delivery === undefined || notice === undefined
      ? null
      : { webhook, delivery, notice };
  }

  async #post({ webhook, delivery, notice }: Row): ReturnType<typeof postWebhook> {
    const { formats, allowed, publicUrl, version, now } = this.#ports;
    const format = webhook.format === GENERIC_FORMAT ? null : (await formats()).get(webhook.format);
    if (format === undefined)
      return { status: null, error: `there is no format ${webhook.format} any more; select another one` };
    const body = messageBody(delivery, notice.event, format, publicUrl);
    const { secret, previousSecret } = webhook;
    const isRotating = previousSecret !== null && previousSecret.until > now();
    const secrets = isRotating ? [secret, previousSecret.secret] : [secret];
    return postWebhook({
      url: webhook.url,
      headers: {
        'content-type': 'application/json',
        'user-agent': `callsheet/${version}`,
        'x-callsheet-event': delivery.type,
        'x-callsheet-delivery': delivery.id,
        'x-callsheet-attempt': String(delivery.attempts + 1),
        'x-callsheet-signature': signatureOf(body, secrets, now()),
      },
      body,
      allowed,
      signal: this.#stopped.signal,
    });
  }
}
