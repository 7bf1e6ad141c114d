import type { Job } from '../../../client/resources.ts';
import type { Column } from '../../parts/data-table/column.ts';
import { FarmName, QueueName } from '../../parts/names.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { countsText } from '../../parts/task-counts.ts';
import { TaskProgress } from '../../parts/task-progress.tsx';
import { Ago, Elapsed } from '../../parts/time.tsx';
import { hasJobEnded } from '../../state/ended.ts';

const reasonOf = (job: Job): string => job.park_reason ?? job.cancel_reason ?? '';

const count = (value: number) =>
  value === 0 ? <span className="muted">0</span> : value.toLocaleString('en');

/** The columns of the list of jobs. */
export const JOB_COLUMNS: readonly Column<Job>[] = [
  {
    id: 'name',
    header: 'Name',
    size: 230,
    minSize: 120,
    grow: true,
    isFixed: true,
    sortKey: 'name',
    card: 'title',
    cell: (job) => job.name,
    text: (job) => job.name,
  },
  {
    id: 'status',
    header: 'Status',
    size: 128,
    sortKey: 'status',
    card: 'plain',
    cell: (job) => <StatusBadge kind="job" status={job.status} title={reasonOf(job)} />,
  },
  {
    id: 'progress',
    header: 'Progress',
    size: 170,
    minSize: 90,
    card: 'line',
    cell: (job) => <TaskProgress counts={job.task_counts} />,
    text: (job) => countsText(job.task_counts),
  },
  { id: 'owner', header: 'Owner', size: 110, cell: (job) => job.owner, text: (job) => job.owner },
  {
    id: 'priority',
    header: 'Priority',
    size: 78,
    align: 'end',
    sortKey: 'priority',
    cell: (job) => job.priority,
  },
  { id: 'project', header: 'Project', size: 110, cell: (job) => job.project, text: (job) => job.project },
  { id: 'queue', header: 'Queue', size: 110, card: 'hidden', cell: (job) => <QueueName id={job.queue_id} /> },
  {
    id: 'farm',
    header: 'Farm',
    size: 110,
    hiddenAtFirst: true,
    card: 'hidden',
    cell: (job) => <FarmName id={job.farm_id} />,
  },
  {
    id: 'created',
    header: 'Created',
    size: 96,
    sortKey: 'created_at',
    cell: (job) => <Ago iso={job.created_at} />,
  },
  {
    id: 'updated',
    header: 'Updated',
    size: 96,
    sortKey: 'updated_at',
    hiddenAtFirst: true,
    card: 'hidden',
    cell: (job) => <Ago iso={job.updated_at} />,
  },
  {
    id: 'elapsed',
    header: 'Elapsed',
    size: 96,
    align: 'end',
    hiddenAtFirst: true,
    card: 'hidden',
    cell: (job) => (
      <Elapsed from={job.created_at} to={hasJobEnded(job.status) ? job.updated_at : undefined} />
    ),
  },
  {
    id: 'tasks',
    header: 'Tasks',
    size: 80,
    align: 'end',
    hiddenAtFirst: true,
    card: 'hidden',
    cell: (job) => count(job.task_counts.total),
  },
  {
    id: 'running',
    header: 'Running tasks',
    size: 112,
    align: 'end',
    hiddenAtFirst: true,
    card: 'hidden',
    cell: (job) => count(job.task_counts.running + job.task_counts.assigned),
  },
  {
    id: 'failed',
    header: 'Failed tasks',
    size: 100,
    align: 'end',
    hiddenAtFirst: true,
    card: 'hidden',
    cell: (job) => count(job.task_counts.failed),
  },
  {
    id: 'failed-attempts',
    header: 'Failed attempts',
    size: 118,
    align: 'end',
    hiddenAtFirst: true,
    card: 'hidden',
    cell: (job) => count(job.failed_attempts),
  },
  {
    id: 'reason',
    header: 'Reason',
    size: 200,
    hiddenAtFirst: true,
    card: 'hidden',
    cell: reasonOf,
    text: reasonOf,
  },
  {
    id: 'submitter',
    header: 'Submitter',
    size: 110,
    hiddenAtFirst: true,
    card: 'hidden',
    cell: (job) => job.submitter,
    text: (job) => job.submitter,
  },
  {
    id: 'id',
    header: 'Id',
    size: 290,
    hiddenAtFirst: true,
    card: 'hidden',
    cell: (job) => <span className="mono">{job.id}</span>,
    text: (job) => job.id,
  },
];
