import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ListChecks, Pause, Play, Rows3 } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import type { Farm, Queue } from '../../../client/resources.ts';
import type { Column } from '../../parts/data-table/column.ts';
import type { ActionItem } from '../../parts/menu.tsx';
import { FarmName } from '../../parts/names.tsx';
import { Notice } from '../../parts/notice.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { toasts } from '../../state/toasts.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import type { Catalog } from '../catalog/catalog.ts';
import {
  changedColumn,
  descriptionColumn,
  nameColumn,
  retryColumn,
  taskLimitColumn,
} from '../catalog/catalog-columns.tsx';
import { CatalogPage } from '../catalog/catalog-page.tsx';
import type { FormField } from '../catalog/form-model.ts';
import { PRIORITY_FIELD, retryFields, TASK_LIMIT_FIELD } from '../catalog/scheduling-fields.ts';

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
  taskLimitColumn(),
  retryColumn('max_attempts', 'Attempts', 'farm', 110),
  {
    id: 'run_as_user',
    header: 'Runs as',
    cell: (queue) => queue.run_as_user ?? '',
    size: 120,
    hiddenAtFirst: true,
  },
  descriptionColumn(240),
  changedColumn(),
];

/** Running tasks as another account requires a permission of its own (docs/contract/isolation.md). */
const RUN_AS_FIELDS: readonly FormField[] = [
  {
    kind: 'text',
    name: 'run_as_user',
    label: 'Run tasks as user',
    hint: 'An account on the machines of the workers. Leave empty for the account of the worker.',
    isNullable: true,
  },
  {
    kind: 'text',
    name: 'run_as_group',
    label: 'Run tasks as group',
    hint: 'Leave empty for the groups of the account.',
    isNullable: true,
  },
];

const fieldsOf = (farms: readonly Farm[], canRunAs: boolean): readonly FormField[] => [
  { kind: 'text', name: 'name', label: 'Name', isRequired: true },
  {
    kind: 'choice',
    name: 'farm_id',
    label: 'Farm',
    isRequired: true,
    isFixed: true,
    choices: farms.map(({ id, name }) => ({ value: id, label: name })),
  },
  { kind: 'area', name: 'description', label: 'Description' },
  {
    kind: 'flag',
    name: 'paused',
    label: 'Paused',
    hint: 'Running tasks continue. No new tasks start.',
  },
  PRIORITY_FIELD,
  TASK_LIMIT_FIELD,
  ...retryFields('farm'),
  ...(canRunAs ? RUN_AS_FIELDS : []),
];

const QUEUES: Omit<Catalog<Queue>, 'fields'> = {
  id: 'queues',
  title: 'Queues',
  one: 'queue',
  purpose: 'You submit jobs to a queue of a farm. You can pause a queue, limit it, and assign workers to it.',
  icon: Rows3,
  columns: COLUMNS,
  deletionNote: 'Finished jobs remain readable. You cannot delete a queue with unfinished jobs.',
  create: (rest, body) => rest.call('post', '/queues', { body: { name: '', farm_id: '', ...body } }),
  replace: (rest, { id }, body) =>
    rest.call('put', '/queues/{id}', { path: { id }, body: { name: '', ...body } }),
  remove: (rest, { id }) => rest.call('delete', '/queues/{id}', { path: { id } }),
};

export function QueuesPage() {
  const { rest } = useService();
  const [, navigate] = useLocation();
  const { can } = usePermissions();
  const query = useQuery(queries.queues(rest));
  const farms = useQuery(queries.farms(rest)).data;
  const canRunAs = can('isolation.manage');
  const catalog = useMemo(
    (): Catalog<Queue> => ({ ...QUEUES, fields: fieldsOf(farms ?? [], canRunAs) }),
    [farms, canRunAs],
  );
  const pauseItem = usePauseItem();
  return (
    <CatalogPage
      catalog={catalog}
      query={query}
      notice={<OpenBusNotice queues={query.data ?? []} />}
      actions={(queue) => [
        pauseItem(queue),
        {
          id: 'jobs',
          label: 'Show jobs',
          icon: <ListChecks aria-hidden="true" />,
          act: () => navigate(`/jobs?queue=${queue.id}`),
        },
      ]}
    />
  );
}

/** Warns about queues whose account protects less than it seems. */
function OpenBusNotice({ queues }: { readonly queues: readonly Queue[] }) {
  const warned = queues.filter((queue) => queue.isolation_warning !== undefined);
  if (warned.length === 0) return null;
  return (
    <Notice
      kind="warning"
      title={`The bus has no authentication: ${warned.map(({ name }) => name).join(', ')}`}
      detail="Programs that reach the bus can act as workers of these queues, or read their tasks. Their account does not protect against that."
    >
      <ul>
        {warned.map(({ id, name, isolation_warning: warning }) => (
          <li key={id}>
            <strong>{name}</strong>: {warning}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** Returns a function that makes the menu item that pauses or resumes a queue. */
function usePauseItem(): (queue: Queue) => ActionItem {
  const { rest } = useService();
  const client = useQueryClient();
  const { why } = usePermissions();
  const setPaused = async (queue: Queue, paused: boolean): Promise<void> => {
    try {
      // The request replaces the queue and would reset missing members. Only these two are kept if they are missing, and
      // sending them needs the permission isolation.manage.
      const { run_as_user: _user, run_as_group: _group, ...kept } = queue;
      await rest.call('put', '/queues/{id}', { path: { id: queue.id }, body: { ...kept, paused } });
      toasts.done(`${queue.name} ${paused ? 'paused' : 'resumed'}`);
    } catch (reason) {
      toasts.failed(reason, `Could not ${paused ? 'pause' : 'resume'} queue ${queue.name}`);
    }
    await client.invalidateQueries({ queryKey: ['queues'] });
  };
  return (queue) => ({
    id: 'pause',
    label: queue.paused ? 'Resume' : 'Pause',
    icon: queue.paused ? <Play aria-hidden="true" /> : <Pause aria-hidden="true" />,
    disabledReason: why('infra.manage'),
    act: () => void setPaused(queue, !queue.paused),
  });
}
