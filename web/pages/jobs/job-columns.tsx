import type { Job } from '../../../client/resources.ts';
import type { Column } from '../../parts/data-table/column.ts';
import { FarmName, QueueName } from '../../parts/names.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { countsText } from '../../parts/task-counts.ts';
import { TaskProgress } from '../../parts/task-progress.tsx';
import { Ago, Elapsed } from '../../parts/time.tsx';
import { hasJobEnded } from '../../state/ended.ts';
import { countCell, idColumn, listNameColumn, optionalColumns, textColumn } from '../list/list-columns.tsx';

/** Why the job waits, was parked or canceled, or how its first failed task ended. */
const reasonOf = (job: Job): string =>
  job.waiting_reason ?? job.park_reason ?? job.cancel_reason ?? job.first_failure ?? '';

const countColumn = (id: string, header: string, size: number, count: (job: Job) => number): Column<Job> => ({
  id,
  header,
  size,
  align: 'end',
  cell: (job) => countCell(count(job)),
});

const OPTIONAL_COLUMNS = optionalColumns<Job>([
  {
    id: 'updated',
    header: 'Updated',
    size: 96,
    sortKey: 'updated_at',
    cell: (job) => <Ago iso={job.updated_at} />,
  },
  {
    id: 'elapsed',
    header: 'Elapsed',
    size: 96,
    align: 'end',
    cell: (job) => (
      <Elapsed from={job.created_at} to={hasJobEnded(job.status) ? job.updated_at : undefined} />
    ),
  },
  countColumn('tasks', 'Tasks', 80, (job) => job.task_counts.total),
  countColumn('running', 'Running tasks', 112, (job) => job.task_counts.running + job.task_counts.assigned),
  countColumn('failed', 'Failed tasks', 100, (job) => job.task_counts.failed),
  countColumn('failed-attempts', 'Failed attempts', 118, (job) => job.failed_attempts),
  textColumn((job) => job.submitter, { id: 'submitter', header: 'Submitter', size: 110 }),
  idColumn(),
]);

/** The columns of the list of jobs. */
export const JOB_COLUMNS: readonly Column<Job>[] = [
  listNameColumn(196, 120),
  {
    id: 'status',
    header: 'Status',
    size: 124,
    sortKey: 'status',
    card: 'plain',
    cell: (job) => <StatusBadge kind="job" status={job.status} title={reasonOf(job)} />,
  },
  {
    id: 'progress',
    header: 'Progress',
    size: 140,
    minSize: 90,
    card: 'line',
    cell: (job) => <TaskProgress counts={job.task_counts} />,
    text: (job) => countsText(job.task_counts),
  },
  textColumn(reasonOf, { id: 'reason', header: 'Reason', size: 190, minSize: 120, grow: true, card: 'line' }),
  textColumn((job) => job.owner, { id: 'owner', header: 'Owner', size: 100 }),
  {
    id: 'priority',
    header: 'Priority',
    size: 78,
    align: 'end',
    sortKey: 'priority',
    cell: (job) => job.priority,
  },
  {
    id: 'created',
    header: 'Created',
    size: 92,
    sortKey: 'created_at',
    cell: (job) => <Ago iso={job.created_at} />,
  },
  { id: 'queue', header: 'Queue', size: 96, card: 'hidden', cell: (job) => <QueueName id={job.queue_id} /> },
  textColumn((job) => job.project, { id: 'project', header: 'Project', size: 92 }),
  {
    id: 'farm',
    header: 'Farm',
    size: 110,
    hiddenAtFirst: true,
    card: 'hidden',
    cell: (job) => <FarmName id={job.farm_id} />,
  },
  ...OPTIONAL_COLUMNS,
];
