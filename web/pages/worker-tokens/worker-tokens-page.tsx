import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus, ShieldOff } from 'lucide-react';
import { useState } from 'react';
import type { WorkerToken } from '../../../client/resources.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { counted } from '../../parts/number-text.ts';
import { Page } from '../../parts/page.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { Ago } from '../../parts/time.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { useFirstLoad } from '../../state/use-first-load.ts';
import { useInvalidateOnEvents } from '../../state/use-invalidate-on-events.ts';
import { useNow } from '../../state/use-now.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { joinMethod } from './join-method.ts';
import { NewTokenDialog } from './new-token-dialog.tsx';
import { shortToken } from './token-model.ts';
import { TokenTable } from './token-table.tsx';

const CRUMBS = [{ label: 'Workers', href: '/workers' }];
const EVENTS_MS = 1_000;

/** The tokens with which workers join (docs/bus-identity.md). */
export function WorkerTokensPage() {
  const { rest } = useService();
  const { why } = usePermissions();
  const settings = useQuery(queries.settings(rest));
  const [isCreating, setIsCreating] = useState(false);
  const method = settings.data === undefined ? null : joinMethod(settings.data.bus);
  return (
    <Page
      title="Join tokens"
      crumbs={CRUMBS}
      actions={
        method === 'token' && (
          <Button
            look="primary"
            icon={<Plus aria-hidden="true" />}
            disabledReason={why('infra.manage')}
            onPress={() => setIsCreating(true)}
          >
            New token
          </Button>
        )
      }
    >
      <p className="muted">
        A worker joins with a token once, and gets a credential of its own. The token itself is shown only
        when it is created.
      </p>
      {settings.error !== null && method === null ? (
        <QueryProblem
          error={settings.error}
          what="the settings of the bus"
          onRetry={() => void settings.refetch()}
        />
      ) : method === null ? (
        <SkeletonLines lines={5} label="Loading the tokens" />
      ) : method === 'token' ? (
        <TokenList />
      ) : (
        <NoTokens isOpen={method === 'open'} />
      )}
      {isCreating && <NewTokenDialog farm="" onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

/** Why the service has no tokens. */
function NoTokens({ isOpen }: { isOpen: boolean }) {
  return (
    <EmptyState
      title="This bus has no join tokens"
      icon={ShieldOff}
      actions={<LinkButton href="/workers">Show workers</LinkButton>}
    >
      {isOpen ? (
        <p>
          The bus has no authentication: any program that reaches it can register as a worker. Set{' '}
          <code>bus.auth.enabled</code> of the server to change this (docs/bus-identity.md).
        </p>
      ) : (
        <p>
          Join tokens are for the nats-server that the service manages. The operator of this bus creates its
          users (docs/bus-identity.md#external-nats).
        </p>
      )}
    </EmptyState>
  );
}

function TokenList() {
  const { rest } = useService();
  const { why } = usePermissions();
  const now = useNow('half-minute');
  const { isOpen, began } = useFirstLoad(1);
  const { data, error, refetch } = useQuery({ ...queries.workerTokens(rest), enabled: isOpen });
  // A worker that joins registers a moment later.
  useInvalidateOnEvents('workers', [['worker-tokens']], EVENTS_MS, began);
  const [revoking, setRevoking] = useState<WorkerToken | null>(null);
  if (error !== null)
    return <QueryProblem error={error} what="the join tokens" onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonLines lines={5} label="Loading the tokens" />;
  return (
    <>
      {data.length === 0 ? (
        <EmptyState title="No join tokens" icon={KeyRound}>
          Create a token to add workers. Tokens that have expired are not listed.
        </EmptyState>
      ) : (
        <TokenTable tokens={data} now={now} forbidden={why('infra.manage')} onRevoke={setRevoking} />
      )}
      {revoking !== null && (
        <RevokeDialog token={revoking} onRevoked={() => void refetch()} onClose={() => setRevoking(null)} />
      )}
    </>
  );
}

function RevokeDialog({
  token: { id, uses, uses_left: left, created_by: creator, created_at: createdAt },
  onRevoked,
  onClose,
}: {
  token: WorkerToken;
  onRevoked: () => void;
  onClose: () => void;
}) {
  const { rest } = useService();
  return (
    <ConfirmDialog
      title={`Revoke the token ${shortToken(id)}?`}
      action="Revoke token"
      onClose={onClose}
      onConfirm={async () => {
        await rest.call('delete', '/worker-tokens/{id}', { path: { id } });
        toasts.done(`Token ${shortToken(id)} revoked`);
        onRevoked();
      }}
    >
      <p>
        Created by {creator} <Ago iso={createdAt} />.
      </p>
      <p>
        No further worker can join with it; {left.toLocaleString('en')} of {counted(uses, 'use')}{' '}
        {left === 1 ? 'is' : 'are'} left. Workers that have joined with it keep their credentials. A revoked
        token cannot be restored.
      </p>
    </ConfirmDialog>
  );
}
