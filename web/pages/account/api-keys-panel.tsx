import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { KeyTable } from './key-table.tsx';
import { NewKeyDialog } from './new-key-dialog.tsx';

/** API keys of the user. */
export function ApiKeysPanel() {
  const { rest } = useService();
  const client = useQueryClient();
  const { has, why } = usePermissions();
  const { data, error, refetch } = useQuery({ ...queries.apiKeys(rest), enabled: has('apikeys.self') });
  const [isCreating, setIsCreating] = useState(false);
  const forbidden = why('apikeys.self');
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['api-keys'] });
  return (
    <Panel
      title="API keys"
      isWide
      beside={
        <Button
          size="small"
          icon={<Plus aria-hidden="true" />}
          disabledReason={forbidden}
          onPress={() => setIsCreating(true)}
        >
          New key
        </Button>
      }
    >
      <p className="muted">
        A program with one of your keys may do everything that you may do. Give each program a key of its own.
      </p>
      {error !== null ? (
        <QueryProblem error={error} what="the keys" onRetry={() => void refetch()} />
      ) : data === undefined ? (
        has('apikeys.self') && <SkeletonLines lines={3} label="Loading the keys" />
      ) : data.length === 0 ? (
        <p>No keys yet. The command line and scripts need one.</p>
      ) : (
        <KeyTable
          keys={data}
          forbidden={forbidden}
          onRevoke={async ({ id, name }) => {
            await rest.call('delete', '/api-keys/{id}', { path: { id } });
            toasts.done(`Key ${name} revoked`);
            await refresh();
          }}
        />
      )}
      {isCreating && <NewKeyDialog onCreated={() => void refresh()} onClose={() => setIsCreating(false)} />}
    </Panel>
  );
}
