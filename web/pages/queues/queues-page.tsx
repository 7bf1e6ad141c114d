import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ListChecks, Pause, Play, Rows3 } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import type { Queue } from '../../../client/resources.ts';
import type { Column } from '../../parts/data-table/column.ts';
import { FarmName } from '../../parts/names.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { changedColumn, nameColumn } from '../catalog/catalog-columns.tsx';
import { CatalogPage } from '../catalog/catalog-page.tsx';
import type { FormField } from '../catalog/form-model.ts';
import { limitText, PRIORITY_FIELD, retryFields, TASK_LIMIT_FIELD } from '../catalog/scheduling-fields.ts';

const COLUMNS: readonly Column<Queue>[] = [
  nameColumn(),
  {
    id: 'paused',
    header: 'State',
    cell: ({ paused }) =>
      paused ? <StatusBadge kind="job" status="paused" /> : <span className="muted">open</span>,
    size: 110,
    card: 'meta',
  },
  {
    id: 'farm_id',
    header: 'Farm',
    cell: (queue) => <FarmName id={queue.farm_id} />,
    size: 150,
    card: 'meta',
  },
  {
    id: 'priority',
    header: 'Priority',
    cell: ({ priority }) => priority,
    sortKey: 'priority',
    align: 'end',
    size: 100,
  },
  {
    id: 'max_concurrent_tasks',
    header: 'Tasks at once',
    cell: (queue) => limitText(queue.max_concurrent_tasks),
    sortKey: 'max_concurrent_tasks',
    align: 'end',
    size: 120,
  },
  {
    id: 'max_attempts',
    header: 'Attempts',
    cell: (queue) => queue.max_attempts ?? 'as the farm',
    sortKey: 'max_attempts',
    align: 'end',
    size: 110,
  },
  {
    id: 'run_as_user',
    header: 'Runs as',
    cell: (queue) => queue.run_as_user ?? '',
    size: 120,
    hiddenAtFirst: true,
  },
  {
    id: 'description',
    header: 'Description',
    cell: ({ description }) => description,
    grow: true,
    size: 240,
    card: 'line',
  },
  changedColumn(),
];

/** Tasks as another account need a permission of their own (docs/contract/isolation.md). */
const RUN_AS_FIELDS: readonly FormField[] = [
  {
    kind: 'text',
    name: 'run_as_user',
    label: 'Tasks run as the user',
    hint: 'An account of the workers’ machines. Empty: the worker’s own.',
    isNullable: true,
  },
  {
    kind: 'text',
    name: 'run_as_group',
    label: 'and the group',
    hint: 'Empty: the groups of the account.',
    isNullable: true,
  },
];

export function QueuesPage() {
  const { rest } = useService();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const { can, why } = usePermissions();
  const query = useQuery(queries.queues(rest));
  const farms = useQuery(queries.farms(rest));
  const mayRunAs = can('isolation.manage');
  const catalog = useMemo(
    (): Catalog<Queue> => ({
      id: 'queues',
      title: 'Queues',
      one: 'queue',
      purpose:
        'Jobs are submitted to a queue of a farm. A queue can be paused, limited, and given to some of the workers.',
      icon: Rows3,
      columns: COLUMNS,
      fields: [
        { kind: 'text', name: 'name', label: 'Name', isRequired: true },
        {
          kind: 'choice',
          name: 'farm_id',
          label: 'Farm',
          isRequired: true,
          isFixed: true,
          choices: (farms.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        },
        { kind: 'area', name: 'description', label: 'Description' },
        {
          kind: 'flag',
          name: 'paused',
          label: 'Paused',
          hint: 'What runs goes on; nothing new is handed out.',
        },
        PRIORITY_FIELD,
        TASK_LIMIT_FIELD,
        ...retryFields('the farm'),
        ...(mayRunAs ? RUN_AS_FIELDS : []),
      ],
      deletionNote:
        'Jobs that are over stay to be read. A queue with jobs that are not over yet cannot be deleted.',
      create: (body) => rest.call('post', '/queues', { body: { name: '', farm_id: '', ...body } }),
      replace: ({ id }, body) =>
        rest.call('put', '/queues/{id}', { path: { id }, body: { name: '', ...body } }),
      remove: ({ id }) => rest.call('delete', '/queues/{id}', { path: { id } }),
    }),
    [rest, farms.data, mayRunAs],
  );
  const pause = async (queue: Queue, paused: boolean): Promise<void> => {
    try {
      // A replacement: what it leaves out would be reset.
      await rest.call('put', '/queues/{id}', { path: { id: queue.id }, body: { ...queue, paused } });
      toasts.done(`${queue.name} is ${paused ? 'paused' : 'open'}`);
    } catch (reason) {
      toasts.failed(reason, `${paused ? 'Pause' : 'Resume'} the queue ${queue.name}`);
    }
    await client.invalidateQueries({ queryKey: ['queues'] });
  };
  return (
    <CatalogPage
      catalog={catalog}
      query={query}
      actions={(queue) => [
        {
          id: 'pause',
          label: queue.paused ? 'Resume' : 'Pause',
          icon: queue.paused ? <Play aria-hidden="true" /> : <Pause aria-hidden="true" />,
          disabledReason: why('infra.manage'),
          act: () => void pause(queue, !queue.paused),
        },
        {
          id: 'jobs',
          label: 'Show its jobs',
          icon: <ListChecks aria-hidden="true" />,
          act: () => navigate(`/jobs?queue=${queue.id}`),
        },
      ]}
    />
  );
}
