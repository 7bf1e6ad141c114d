import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { User } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { KeyTable } from '../account/key-table.tsx';

/** API keys of an account, which can be revoked. Only the user can create keys. */
export function UserKeysDialog({ user: { id, username }, onClose }: { user: User; onClose: () => void }) {
  const { rest } = useService();
  const client = useQueryClient();
  const { why } = usePermissions();
  const { data, error, refetch } = useQuery(queries.userApiKeys(rest, id));
  return (
    <Dialog
      title={`API keys of ${username}`}
      isWide
      onClose={onClose}
      foot={<Button onPress={onClose}>Close</Button>}
    >
      {error !== null ? (
        <QueryProblem error={error} what="the keys" onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={3} label="Loading the keys" />
      ) : data.length === 0 ? (
        <p>{`${username} has no API keys.`}</p>
      ) : (
        <KeyTable
          keys={data}
          forbidden={why('apikeys.admin')}
          onRevoke={async (key) => {
            await rest.call('delete', '/users/{id}/api-keys/{keyId}', { path: { id, keyId: key.id } });
            toasts.done(`Key ${key.name} of ${username} revoked`);
            await client.invalidateQueries({ queryKey: ['users', id, 'api-keys'] });
          }}
        />
      )}
    </Dialog>
  );
}
