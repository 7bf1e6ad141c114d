import type { Webhook, WebhookDelivery } from '../../client/resources.ts';
import { nameOf } from '../client/lookup.ts';
import type { RestClient } from '../client/rest-client.ts';
import type { Column } from '../terminal/table.ts';
import type { Fact } from '../output/facts.ts';

/** Columns of a list of webhooks. */
export const WEBHOOK_COLUMNS: readonly Column<Webhook>[] = [
  { title: 'ID', value: (webhook) => webhook.id, isId: true },
  { title: 'NAME', value: (webhook) => webhook.name, shrinks: true },
  { title: 'STATUS', value: stateOf },
  { title: 'RECEIVER', value: (webhook) => webhook.endpoint, shrinks: true },
  { title: 'FORMAT', value: (webhook) => webhook.format },
  { title: 'EVENTS', value: (webhook) => webhook.events.join(','), shrinks: true },
  { title: 'PENDING', value: (webhook) => String(webhook.pending), align: 'right' },
  { title: 'LAST SUCCESS', value: (webhook) => webhook.last_success_at ?? 'never', isTime: true },
];

/** Columns of the delivery log of a webhook. */
export const DELIVERY_COLUMNS: readonly Column<WebhookDelivery>[] = [
  { title: 'ID', value: (delivery) => delivery.id, isId: true },
  { title: 'EVENT', value: (delivery) => delivery.type },
  { title: 'STATUS', value: (delivery) => delivery.status },
  { title: 'ATTEMPTS', value: (delivery) => String(delivery.attempts), align: 'right' },
  { title: 'CREATED', value: (delivery) => delivery.created_at, isTime: true },
  { title: 'NEXT', value: ({ next_at: next }) => next ?? '', isTime: true },
  {
    title: 'RESULT',
    value: ({ last_attempt: last }) => (last === null ? '' : (last.error ?? `status ${last.status ?? ''}`)),
    shrinks: true,
  },
];

/** Returns the state of a webhook as one word or sentence. */
function stateOf({ enabled, disabled_reason: reason, failures }: Webhook): string {
  if (!enabled) return reason === null ? 'disabled' : `disabled: ${reason}`;
  return failures === 0 ? 'enabled' : 'failing';
}

/** Returns what `webhooks show` prints, with the names of the farm and the queue that the webhook is restricted to. */
export async function webhookFacts(client: RestClient, webhook: Webhook): Promise<readonly Fact[]> {
  const { farm_id: farmId, queue_id: queueId, owner } = webhook;
  return [
    ['id', webhook.id],
    ['name', webhook.name],
    ['status', stateOf(webhook)],
    ['receiver', webhook.endpoint],
    ['format', webhook.format],
    ['events', webhook.events.join(', ')],
    ['farm', farmId === null ? 'any' : await nameOf(client, 'farm', farmId)],
    ['queue', queueId === null ? 'any' : await nameOf(client, 'queue', queueId)],
    ['owner', owner ?? 'any'],
    ['pending', String(webhook.pending)],
    ['missed', String(webhook.missed)],
    ['last success', webhook.last_success_at ?? 'never'],
    ['last failure', webhook.last_failure_at ?? 'never'],
    ['last error', webhook.last_error ?? undefined],
    ['created by', webhook.created_by],
  ];
}
