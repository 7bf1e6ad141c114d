import { useQuery, useQueryClient } from '@tanstack/react-query';
import { BellRing, Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import type { NewWebhook, Webhook } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { counted } from '../../parts/number-text.ts';
import { Page } from '../../parts/page.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { DeliveryLogDialog } from './delivery-log-dialog.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { WebhookTable, type WebhookAction } from './webhook-table.tsx';

/** The dialog that is open, with its webhook. */
type OpenDialog =
  | { readonly kind: 'new' }
  | { readonly kind: 'secret'; readonly webhook: NewWebhook }
  | { readonly kind: Exclude<WebhookAction, 'test'>; readonly webhook: Webhook };

/** The webhooks (docs/webhooks.md). */
export function WebhooksPage() {
  const { rest } = useService();
  const { why } = usePermissions();
  const { data, error, refetch } = useQuery(queries.webhooks(rest));
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const { testing, test } = useTest();
  const forbidden = why('jobs.write');
  return (
    <Page
      title="Webhooks"
      actions={
        <Button
          look="primary"
          icon={<Plus aria-hidden="true" />}
          disabledReason={forbidden}
          onPress={() => setOpen({ kind: 'new' })}
        >
          New webhook
        </Button>
      }
    >
      <p className="muted">
        The server sends events to the URL of a webhook: to a chat service, or to a program of your own.
      </p>
      {error !== null ? (
        <QueryProblem error={error} what="the webhooks" onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={5} label="Loading the webhooks" />
      ) : data.length === 0 ? (
        <EmptyState title="No webhooks" icon={BellRing}>
          Create a webhook to be notified when a job ends or is parked, or a worker goes offline.
        </EmptyState>
      ) : (
        <WebhookTable
          webhooks={data}
          forbidden={forbidden}
          testing={testing}
          onAct={(action, webhook) => {
            if (action === 'test') void test(webhook);
            else setOpen({ kind: action, webhook });
          }}
        />
      )}
      <WebhookDialogs open={open} onOpen={setOpen} />
    </Page>
  );
}

/** Sends a test and shows its outcome. */
function useTest() {
  const { rest } = useService();
  const client = useQueryClient();
  const [testing, setTesting] = useState<string | null>(null);
  const test = async ({ id, name }: Webhook): Promise<void> => {
    setTesting(id);
    try {
      const { status, last_attempt: last } = await rest.call('post', '/webhooks/{id}/test', { path: { id } });
      if (status === 'delivered') toasts.done(`Test of ${name} delivered with status ${last?.status ?? ''}`);
      else toasts.failed(new Error(last?.error ?? 'no attempt was made'), `Test of ${name} failed`);
    } catch (reason) {
      toasts.failed(reason, `Could not test ${name}`);
    } finally {
      setTesting(null);
      void client.invalidateQueries({ queryKey: ['webhooks'] });
    }
  };
  return { testing, test };
}

function WebhookDialogs({
  open,
  onOpen,
}: {
  open: OpenDialog | null;
  onOpen: (open: OpenDialog | null) => void;
}) {
  const { rest } = useService();
  const { has } = usePermissions();
  const client = useQueryClient();
  const principal = useQuery(queries.principal(rest)).data;
  const close = (): void => onOpen(null);
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['webhooks'] });
  if (open === null) return null;
  if (open.kind === 'new' || open.kind === 'edit')
    return (
      <WebhookForm
        webhook={open.kind === 'new' ? null : open.webhook}
        ownOwner={has('jobs.read.all') ? '' : (principal?.username ?? '')}
        onClose={close}
        onCreated={(webhook) => {
          onOpen({ kind: 'secret', webhook });
          void refresh();
        }}
        onSaved={(name) => {
          toasts.done(`Webhook ${name} saved`);
          close();
          void refresh();
        }}
      />
    );
  const { id, name } = open.webhook;
  switch (open.kind) {
    case 'secret':
      return <SecretDialog webhook={open.webhook} onClose={close} />;
    case 'log':
      return <DeliveryLogDialog webhook={open.webhook} onClose={close} />;
    case 'key':
      return <RotateDialog webhook={open.webhook} onOpen={onOpen} />;
    case 'delete':
      return (
        <ConfirmDialog
          title={`Delete webhook ${name}?`}
          action="Delete webhook"
          onClose={close}
          onConfirm={async () => {
            await rest.call('delete', '/webhooks/{id}', { path: { id } });
            toasts.done(`Webhook ${name} deleted`);
            await refresh();
          }}
        >
          <p>
            Its delivery log is deleted, and {counted(open.webhook.pending, 'delivery', 'deliveries')} that
            wait are not sent.
          </p>
        </ConfirmDialog>
      );
  }
}

/** Asks before the signing key is replaced, and shows the new one. */
function RotateDialog({
  webhook: { id, name },
  onOpen,
}: {
  webhook: Webhook;
  onOpen: (open: OpenDialog | null) => void;
}) {
  const { rest } = useService();
  const replaced = useRef<NewWebhook | null>(null);
  return (
    <ConfirmDialog
      title={`Replace the signing key of ${name}?`}
      action="Replace key"
      isDanger={false}
      onClose={() => onOpen(replaced.current === null ? null : { kind: 'secret', webhook: replaced.current })}
      onConfirm={async () => {
        replaced.current = await rest.call('post', '/webhooks/{id}/secret', { path: { id } });
      }}
    >
      <p>Requests are signed with the new key, and for 24 hours with the present one as well.</p>
    </ConfirmDialog>
  );
}
