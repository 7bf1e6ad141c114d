import { useQuery } from '@tanstack/react-query';
import { Inbox } from 'lucide-react';
import type { Webhook, WebhookDelivery } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { ShortTable } from '../../parts/short-table.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Ago, Until } from '../../parts/time.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { eventLabel } from './webhook-model.ts';
import './webhooks.css';

/** The latest deliveries of a webhook, the newest first. Updated while it is open. */
export function DeliveryLogDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { rest } = useService();
  const { data, error, refetch } = useQuery(queries.webhookDeliveries(rest, webhook.id));
  return (
    <Dialog
      title={`Deliveries of ${webhook.name}`}
      isWide
      onClose={onClose}
      foot={<Button onPress={onClose}>Close</Button>}
    >
      {error !== null ? (
        <QueryProblem error={error} what="the deliveries" onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={5} label="Loading the deliveries" />
      ) : data.length === 0 ? (
        <EmptyState title="No deliveries" icon={Inbox}>
          Send a test to check the receiver.
        </EmptyState>
      ) : (
        <DeliveryTable deliveries={data} />
      )}
    </Dialog>
  );
}

function DeliveryTable({ deliveries }: { deliveries: readonly WebhookDelivery[] }) {
  return (
    <ShortTable
      label="Deliveries"
      rows={deliveries}
      rowId={({ id }) => id}
      columns={[
        { header: 'Event', cell: ({ type }) => eventLabel(type) },
        { header: 'Status', cell: ({ status }) => <StatusBadge kind="delivery" status={status} /> },
        { header: 'Created', cell: ({ created_at: at }) => <Ago iso={at} />, isMinor: true },
        { header: 'Attempts', align: 'end', cell: ({ attempts }) => attempts, isMinor: true },
        { header: 'Result', cell: (delivery) => <Result delivery={delivery} /> },
      ]}
    />
  );
}

function Result({
  delivery: { last_attempt: last, next_at: next, missed_before: missed },
}: {
  delivery: WebhookDelivery;
}) {
  return (
    <div className="webhooks__trouble">
      {last !== null && (last.error ?? `Status ${last.status ?? 'unknown'}`)}
      {next !== null && last !== null && (
        <div className="muted">
          Next attempt <Until iso={next} />
        </div>
      )}
      {missed > 0 && (
        <div className="muted">{missed.toLocaleString('en')} events before it were not queued</div>
      )}
    </div>
  );
}
