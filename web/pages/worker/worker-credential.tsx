import { useQuery } from '@tanstack/react-query';
import { ShieldOff } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { WorkerCredential, WorkerDetail } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { KeyValues } from '../../parts/key-values.tsx';
import { Panel } from '../../parts/panel.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Ago, Until } from '../../parts/time.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { useNow } from '../../state/use-now.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { joinMethod } from '../worker-tokens/join-method.ts';
import { shortToken } from '../worker-tokens/token-model.ts';
import { credentialState, revocationText, whyNotRevocable } from './credential-model.ts';

/** The credential of a worker on a bus with authentication, and the action that revokes it. */
export function WorkerCredentialPanel({
  worker,
  credential,
  onChanged,
}: {
  worker: WorkerDetail;
  credential: WorkerCredential;
  onChanged: () => void;
}) {
  const { rest } = useService();
  const { why, has } = usePermissions();
  const bus = useQuery(queries.settings(rest)).data?.bus;
  const [isRevoking, setIsRevoking] = useState(false);
  const state = credentialState(credential, useNow('half-minute'));
  const token = <span title={credential.token_id}>{shortToken(credential.token_id)}</span>;
  return (
    <Panel
      title="Credential"
      beside={
        <Button
          size="small"
          icon={<ShieldOff aria-hidden="true" />}
          disabledReason={
            why('infra.manage') || whyNotRevocable(credential, bus === undefined ? null : joinMethod(bus))
          }
          onPress={() => setIsRevoking(true)}
        >
          Revoke…
        </Button>
      }
    >
      <KeyValues
        facts={[
          ['Status', <StatusBadge key="status" kind="credential" status={state} />],
          ['Issued', <Ago key="issued" iso={credential.issued_at} />],
          ['Expires', <Until key="expires" iso={credential.expires_at} />],
          ['Join token', has('infra.manage') ? <Link href="/worker-tokens">{token}</Link> : token],
        ]}
      />
      {state === 'valid' && <p className="muted">The worker renews its credential before it expires.</p>}
      {state !== 'valid' && (
        <p className="muted">
          The bus refuses this worker. To use the machine again, start the worker with a new join token.
        </p>
      )}
      {isRevoking && (
        <RevokeDialog worker={worker} onRevoked={onChanged} onClose={() => setIsRevoking(false)} />
      )}
    </Panel>
  );
}

function RevokeDialog({
  worker: { id, name, current_task_count: tasks },
  onRevoked,
  onClose,
}: {
  worker: WorkerDetail;
  onRevoked: () => void;
  onClose: () => void;
}) {
  const { rest } = useService();
  return (
    <ConfirmDialog
      title={`Revoke the credential of ${name}?`}
      action="Revoke credential"
      onClose={onClose}
      onConfirm={async () => {
        await rest.call('post', '/workers/{id}/credential/revoke', { path: { id } });
        toasts.done(`Credential of ${name} revoked`);
        onRevoked();
      }}
    >
      <p>{revocationText(tasks)}</p>
    </ConfirmDialog>
  );
}
