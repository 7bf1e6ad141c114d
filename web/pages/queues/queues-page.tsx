import { useQuery } from '@tanstack/react-query';
import { Layers, ListChecks, Pause, Play, Rows3 } from 'lucide-react';
import { useMemo } from 'react';
import { useLocation } from 'wouter';
import type { Farm, Queue } from '../../../client/resources.ts';
import type { Column } from '../../parts/data-table/column.ts';
import type { ActionItem } from '../../parts/menu.tsx';
import { FarmName } from '../../parts/names.tsx';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { useFirstLoad } from '../../state/use-first-load.ts';
import { useInvalidateOnEvents } from '../../state/use-invalidate-on-events.ts';
import { usePermissions } from '../../state/use-permissions.ts';
import { useRefresh } from '../../state/use-refresh.ts';
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
import {
  NAMED_CAPS_FIELDS,
  PREEMPTION_FIELDS,
  PRIORITY_FIELD,
  RETRY_RULES_FIELD,
  retryFields,
  TASK_LIMIT_FIELD,
} from '../catalog/scheduling-fields.ts';
import { queueJobsText, QueueJobs, QueueTasks, queueTasksText } from './queue-load.tsx';
import { OpenBusNotice } from './open-bus-notice.tsx';
import { PauseSwitch } from './pause-switch.tsx';
import { usePause } from './use-pause.ts';

const COLUMNS: readonly Column<Queue>[] = [
  nameColumn(130),
  {
    id: 'paused',
    header: 'State',
    cell: (queue) => <PauseSwitch queue={queue} />,
    size: 124,
    card: 'meta',
  },
  {
    id: 'jobs',
    header: 'Jobs',
    cell: (queue) => <QueueJobs queue={queue} />,
    text: queueJobsText,
    size: 330,
    grow: true,
    card: 'line',
  },
  {
    id: 'tasks',
    header: 'Tasks',
    cell: (queue) => <QueueTasks queue={queue} />,
    text: queueTasksText,
    size: 180,
    card: 'line',
  },
  {
    id: 'farm_id',
    header: 'Farm',
    cell: (queue) => <FarmName id={queue.farm_id} />,
    size: 110,
    card: 'meta',
  },
  {
    id: 'priority',
    header: 'Priority',
    cell: ({ priority }) => priority,
    sortKey: 'priority',
    align: 'end',
    size: 90,
    // The scheduler does not use it.
    hiddenAtFirst: true,
  },
  // The bar of the tasks shows the limit.
  { ...taskLimitColumn(), hiddenAtFirst: true },
  { ...retryColumn('max_attempts', 'Attempts', 'farm', 110), hiddenAtFirst: true },
  {
    id: 'run_as_user',
    header: 'Runs as',
    cell: (queue) => queue.run_as_user ?? '',
    size: 120,
    hiddenAtFirst: true,
  },
  descriptionColumn(120),
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
  ...NAMED_CAPS_FIELDS,
  ...retryFields('farm'),
  RETRY_RULES_FIELD,
  ...PREEMPTION_FIELDS,
  ...(canRunAs ? RUN_AS_FIELDS : []),
];

/** Shortest time between two loads of the jobs and tasks of the queues. */
const REFRESH_MS = 2_000;
/** Tasks have no events of their own. */
const TASKS_MS = 4_000;
const QUEUE_LISTS = [['queues', 'summary']];

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
  const refetchInterval = useRefresh(TASKS_MS);
  const { isOpen, began } = useFirstLoad(1);
  const query = useQuery({ ...queries.queueSummaries(rest), refetchInterval, enabled: isOpen });
  useInvalidateOnEvents('jobs', QUEUE_LISTS, REFRESH_MS, began);
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
          id: 'environments',
          label: 'Environments',
          icon: <Layers aria-hidden="true" />,
          act: () => navigate(`/queues/${queue.id}`),
        },
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

/** Returns a function that makes the menu item that pauses or resumes a queue. */
function usePauseItem(): (queue: Queue) => ActionItem {
  const { why } = usePermissions();
  const setPaused = usePause();
  return (queue) => ({
    id: 'pause',
    label: queue.paused ? 'Resume' : 'Pause',
    icon: queue.paused ? <Play aria-hidden="true" /> : <Pause aria-hidden="true" />,
    disabledReason: why('infra.manage'),
    act: () => void setPaused(queue, !queue.paused),
  });
}
