import type {
  DeliveryAttempt,
  WebhookDeliveryRecord,
  WebhookRecord,
} from '../../src/core/records/webhook.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import type { Schemas } from './schemas.ts';

const timeOrNull = (time: number | null): string | null => (time === null ? null : timestampOf(time));

/** docs/webhooks.md. Without the key, and of the URL only its origin. */
export function webhookView(webhook: WebhookRecord, now: number): Schemas['Webhook'] {
  const { health, previousSecret } = webhook;
  const isRotating = previousSecret !== null && previousSecret.until > now;
  return {
    id: webhook.id,
    name: webhook.name,
    endpoint: new URL(webhook.url).origin,
    format: webhook.format,
    events: webhook.events,
    farm_id: webhook.farmId,
    queue_id: webhook.queueId,
    owner: webhook.owner,
    enabled: webhook.enabled,
    disabled_reason: webhook.disabledReason,
    pending: health.pending,
    failures: health.failures,
    missed: health.missedTotal,
    last_success_at: timeOrNull(health.lastSuccessAt),
    last_failure_at: timeOrNull(health.lastFailureAt),
    last_error: health.lastError,
    previous_secret_until: isRotating ? timestampOf(previousSecret.until) : null,
    created_by: webhook.createdBy,
    created_at: timestampOf(webhook.createdAt),
    updated_at: timestampOf(webhook.updatedAt),
  };
}

/** docs/webhooks.md#the-delivery-log */
export const deliveryView = (delivery: WebhookDeliveryRecord): Schemas['WebhookDelivery'] => ({
  id: delivery.id,
  event_id: delivery.eventId,
  type: delivery.type,
  status: delivery.status,
  attempts: delivery.attempts,
  missed_before: delivery.missedBefore,
  created_at: timestampOf(delivery.createdAt),
  next_at: timeOrNull(delivery.nextAt),
  ended_at: timeOrNull(delivery.endedAt),
  last_attempt: delivery.lastAttempt === null ? null : attemptView(delivery.lastAttempt),
});

const attemptView = ({ at, durationMs, status, error }: DeliveryAttempt): Schemas['WebhookAttempt'] => ({
  at: timestampOf(at),
  duration_ms: durationMs,
  status,
  error,
});
