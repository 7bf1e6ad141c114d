import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ArrowDown, ArrowUp, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Queue, QueueEnvironment } from '../../../client/resources.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { Panel } from '../../parts/panel.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { ShortTable } from '../../parts/short-table.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { Ago } from '../../parts/time.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { ifVersion } from '../../state/if-match.ts';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { EnvironmentDialog } from './environment-dialog.tsx';
import { moved } from './environment-order.ts';

/** The subject of the open dialog: an environment, or a new one. */
type Opened =
  | { readonly kind: 'edit' | 'delete'; readonly environment: QueueEnvironment }
  | { readonly kind: 'new' };

/** The environments of a queue in their order, with the dialogs that change them. */
export function QueueEnvironments({ queue }: { queue: Queue }) {
  const { rest } = useService();
  const client = useQueryClient();
  const { why } = usePermissions();
  const forbidden = why('infra.manage');
  const { data, error, refetch } = useQuery(queries.queueEnvironments(rest, queue.id));
  const [opened, setOpened] = useState<Opened | null>(null);
  const [isMoving, setIsMoving] = useState(false);
  const renew = (): Promise<void> =>
    client.invalidateQueries({ queryKey: ['queues', 'environments', queue.id] });

  const move = async (id: string, by: -1 | 1): Promise<void> => {
    setIsMoving(true);
    try {
      for (const { environment, priority } of moved(data ?? [], id, by)) {
        const { template, format, settings_version: version } = environment;
        await ifVersion(rest, version).call('put', '/queues/{id}/environments/{environmentId}', {
          path: { id: queue.id, environmentId: environment.id },
          body: { template, format, priority },
        });
      }
    } catch (reason) {
      toasts.failed(reason, 'Could not change the order');
    }
    await renew();
    setIsMoving(false);
  };

  return (
    <Panel
      title="Environments"
      isWide
      beside={
        <Button
          size="small"
          icon={<Plus aria-hidden="true" />}
          disabledReason={forbidden}
          onPress={() => setOpened({ kind: 'new' })}
        >
          New environment
        </Button>
      }
    >
      <p className="muted">
        Sessions of new jobs enter these environments in this order, before the environments of the job. Their
        parameters are parameters of the job.
      </p>
      {error !== null ? (
        <QueryProblem error={error} what="the environments" onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <SkeletonLines lines={3} label="Loading the environments" />
      ) : data.length === 0 ? (
        <p className="muted">The queue has no environments.</p>
      ) : (
        <ShortTable
          label="Environments of the queue"
          rows={data}
          rowId={({ id }) => id}
          columns={[
            { header: 'Order', align: 'end', cell: ({ id }) => data.findIndex((each) => each.id === id) + 1 },
            { header: 'Name', cell: ({ name }) => name },
            { header: 'Priority', align: 'end', cell: ({ priority }) => priority, isMinor: true },
            { header: 'Changed', cell: ({ updated_at: at }) => <Ago iso={at} />, isMinor: true },
            {
              header: 'Actions',
              align: 'end',
              cell: (environment) => (
                <Actions
                  environment={environment}
                  isFirst={environment === data[0]}
                  isLast={environment === data.at(-1)}
                  disabledReason={forbidden === '' && isMoving ? 'The order is being changed.' : forbidden}
                  onMove={(by) => void move(environment.id, by)}
                  onOpen={setOpened}
                />
              ),
            },
          ]}
        />
      )}
      {(opened?.kind === 'new' || opened?.kind === 'edit') && (
        <EnvironmentDialog
          queueId={queue.id}
          environment={opened.kind === 'edit' ? opened.environment : null}
          onClose={() => setOpened(null)}
          onDone={({ name }) => {
            setOpened(null);
            toasts.done(`Environment ${name} saved`);
            void renew();
          }}
        />
      )}
      {opened?.kind === 'delete' && (
        <ConfirmDialog
          title={`Delete environment ${opened.environment.name}?`}
          action="Delete environment"
          onClose={() => setOpened(null)}
          onConfirm={async () => {
            const { id, settings_version: version } = opened.environment;
            await ifVersion(rest, version).call('delete', '/queues/{id}/environments/{environmentId}', {
              path: { id: queue.id, environmentId: id },
            });
            await renew();
          }}
        >
          <p>Jobs that have been submitted keep it.</p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}

function Actions({
  environment,
  isFirst,
  isLast,
  disabledReason,
  onMove,
  onOpen,
}: {
  environment: QueueEnvironment;
  isFirst: boolean;
  isLast: boolean;
  disabledReason: string;
  onMove: (by: -1 | 1) => void;
  onOpen: (opened: Opened) => void;
}) {
  const { name } = environment;
  const reasonAt = (isAtEnd: boolean, end: string): string =>
    disabledReason === '' && isAtEnd ? `It is the ${end} one.` : disabledReason;
  return (
    <span className="row">
      <IconButton
        label={`Move ${name} up`}
        icon={<ArrowUp aria-hidden="true" />}
        size="small"
        disabledReason={reasonAt(isFirst, 'first')}
        onPress={() => onMove(-1)}
      />
      <IconButton
        label={`Move ${name} down`}
        icon={<ArrowDown aria-hidden="true" />}
        size="small"
        disabledReason={reasonAt(isLast, 'last')}
        onPress={() => onMove(1)}
      />
      <IconButton
        label={`Edit ${name}`}
        icon={<Pencil aria-hidden="true" />}
        size="small"
        disabledReason={disabledReason}
        onPress={() => onOpen({ kind: 'edit', environment })}
      />
      <IconButton
        label={`Delete ${name}`}
        icon={<Trash2 aria-hidden="true" />}
        size="small"
        disabledReason={disabledReason}
        onPress={() => onOpen({ kind: 'delete', environment })}
      />
    </span>
  );
}
