import { KeyRound, ListChecks, Pencil, Send, Trash2 } from 'lucide-react';
import type { Webhook } from '../../../client/resources.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { FarmName, QueueName } from '../../parts/names.tsx';
import { ShortTable } from '../../parts/short-table.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Ago } from '../../parts/time.tsx';
import { eventLabel, troubleOf, webhookStatus } from './webhook-model.ts';
import './webhooks.css';

/** Action of a user on a webhook. */
export type WebhookAction = 'test' | 'log' | 'edit' | 'key' | 'delete';

/** Webhooks with their state. `forbidden` is why they cannot be changed; empty if they can. */
export function WebhookTable({
  webhooks,
  forbidden,
  testing,
  onAct,
}: {
  webhooks: readonly Webhook[];
  forbidden: string;
  /** Id of the webhook whose test runs; null for none. */
  testing: string | null;
  onAct: (action: WebhookAction, webhook: Webhook) => void;
}) {
  return (
    <ShortTable
      label="Webhooks"
      rows={webhooks}
      rowId={({ id }) => id}
      columns={[
        { header: 'Name', cell: ({ name }) => name },
        { header: 'Status', cell: (webhook) => <Status webhook={webhook} /> },
        {
          header: 'Receiver',
          cell: ({ endpoint }) => <span className="mono">{endpoint}</span>,
          isMinor: true,
        },
        { header: 'Format', cell: ({ format }) => format, isMinor: true },
        { header: 'Events', cell: ({ events }) => events.map(eventLabel).join(', '), isMinor: true },
        { header: 'Only', cell: (webhook) => <Filters webhook={webhook} />, isMinor: true },
        {
          header: 'Waiting',
          align: 'end',
          cell: ({ pending }) => pending.toLocaleString('en'),
          isMinor: true,
        },
        {
          header: 'Last success',
          cell: ({ last_success_at: at }) =>
            at === null ? <span className="muted">never</span> : <Ago iso={at} />,
          isMinor: true,
        },
        {
          header: 'Actions',
          align: 'end',
          cell: (webhook) => (
            <div className="webhooks__actions">
              <Button
                size="small"
                icon={<Send aria-hidden="true" />}
                disabledReason={forbidden}
                isBusy={testing === webhook.id}
                title={`Send a test to ${webhook.name}`}
                onPress={() => onAct('test', webhook)}
              >
                Test
              </Button>
              <IconButton
                size="small"
                label={`Show deliveries of ${webhook.name}`}
                icon={<ListChecks aria-hidden="true" />}
                onPress={() => onAct('log', webhook)}
              />
              <IconButton
                size="small"
                label={`Edit ${webhook.name}`}
                icon={<Pencil aria-hidden="true" />}
                disabledReason={forbidden}
                onPress={() => onAct('edit', webhook)}
              />
              <IconButton
                size="small"
                label={`Replace the signing key of ${webhook.name}`}
                icon={<KeyRound aria-hidden="true" />}
                disabledReason={forbidden}
                onPress={() => onAct('key', webhook)}
              />
              <IconButton
                size="small"
                label={`Delete ${webhook.name}`}
                icon={<Trash2 aria-hidden="true" />}
                disabledReason={forbidden}
                onPress={() => onAct('delete', webhook)}
              />
            </div>
          ),
        },
      ]}
    />
  );
}

function Status({ webhook }: { webhook: Webhook }) {
  const trouble = troubleOf(webhook);
  return (
    <>
      <StatusBadge kind="webhook" status={webhookStatus(webhook)} />
      {trouble !== '' && <div className="muted webhooks__trouble">{trouble}</div>}
      {webhook.missed > 0 && (
        <div className="muted">{webhook.missed.toLocaleString('en')} events were not queued</div>
      )}
    </>
  );
}

function Filters({ webhook: { farm_id: farm, queue_id: queue, owner } }: { webhook: Webhook }) {
  if (farm === null && queue === null && owner === null) return <span className="muted">no filter</span>;
  return (
    <>
      {farm !== null && (
        <div>
          Farm <FarmName id={farm} />
        </div>
      )}
      {queue !== null && (
        <div>
          Queue <QueueName id={queue} />
        </div>
      )}
      {owner !== null && <div>Owner {owner}</div>}
    </>
  );
}
