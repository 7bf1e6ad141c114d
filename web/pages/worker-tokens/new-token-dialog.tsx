import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { NewWorkerToken } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Notice } from '../../parts/notice.tsx';
import { counted } from '../../parts/number-text.ts';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { At } from '../../parts/time.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { TokenForm } from './token-form.tsx';
import './worker-tokens.css';

const TITLE = 'Add worker with a join token';

/** Creates a join token, and shows its command once. `farm` is the id of the farm that is chosen at first; empty for the first one. */
export function NewTokenDialog({ farm, onClose }: { farm: string; onClose: () => void }) {
  const { rest } = useService();
  const client = useQueryClient();
  const { data: farms, error, refetch } = useQuery(queries.farms(rest));
  const [created, setCreated] = useState<NewWorkerToken | null>(null);
  if (created !== null) return <CreatedToken token={created} onClose={onClose} />;
  if (farms === undefined)
    return (
      <Dialog title={TITLE} onClose={onClose} foot={<Button onPress={onClose}>Cancel</Button>}>
        {error === null ? (
          <SkeletonLines lines={5} label="Loading the farms" />
        ) : (
          <QueryProblem error={error} what="the farms" onRetry={() => void refetch()} />
        )}
      </Dialog>
    );
  return (
    <TokenForm
      title={TITLE}
      farms={farms}
      farm={(farms.find(({ id }) => id === farm) ?? farms[0])?.id ?? ''}
      onClose={onClose}
      onCreated={(token) => {
        setCreated(token);
        void client.invalidateQueries({ queryKey: ['worker-tokens'] });
      }}
    />
  );
}

function CreatedToken({ token, onClose }: { token: NewWorkerToken; onClose: () => void }) {
  return (
    <Dialog
      title="Join token created"
      isWide
      onClose={onClose}
      foot={
        <>
          {/* First, so that it has the focus: Enter must not close the dialog. */}
          <CopyButton text={token.command} label="Copy the command">
            Copy command
          </CopyButton>
          <Button onPress={onClose}>Done</Button>
        </>
      }
    >
      <Notice
        kind="warning"
        title="Copy the command now"
        detail="The token is not shown again. The service keeps no copy that could be read. A program that has the token can join as a worker."
      />
      <p>
        Install Callsheet on the machine and run this command. The worker appears in the list when it has
        registered.
      </p>
      <code className="worker-tokens__command" role="group" aria-label="Command with the token" tabIndex={0}>
        {token.command}
      </code>
      <p className="muted">
        {counted(token.uses, 'worker')} can join with it until <At iso={token.expires_at} />. A worker needs
        it for its first start only: it gets a credential of its own, which it renews by itself.
      </p>
      <p className="muted">
        Or write the token to the file of <code>worker.join_file</code>, which keeps it out of the list of
        processes:{' '}
        <CopyButton text={token.token} label="Copy only the token">
          Copy token
        </CopyButton>
      </p>
    </Dialog>
  );
}
