import type { JobDetail, Task } from '../../../client/resources.ts';
import type { Column } from '../../parts/data-table/column.ts';
import { WorkerName } from '../../parts/names.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { shownTaskStatus } from '../../parts/status-looks.ts';
import { durationText } from '../../parts/time-text.ts';
import { Ago, Elapsed } from '../../parts/time.tsx';
import { useNow } from '../../state/use-now.ts';
import { skippedText } from './model/skipped-text.ts';

const parametersOf = ({ parameters = {} }: Task): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');

const reasonOf = ({
  skipped,
  failure_reason: failed,
  waiting_reason: waiting,
  unschedulable_reason: unschedulable,
  status_message: message,
}: Task): string =>
  skipped === undefined ? (failed ?? waiting ?? unschedulable ?? message ?? '') : skippedText(skipped);

const progressOf = ({ progress, status }: Task): string =>
  progress === undefined || (status !== 'running' && status !== 'assigned')
    ? ''
    : `${Math.floor(progress)} %`;

function TaskState({ task }: { task: Task }) {
  const { status, retry_after: after } = task;
  return (
    <span className="row">
      <StatusBadge kind="task" status={shownTaskStatus(task)} />
      {after !== undefined && status === 'ready' && <RetryIn at={after} />}
    </span>
  );
}

function RetryIn({ at }: { at: string }) {
  const ms = Date.parse(at) - useNow('second');
  return ms > 0 ? (
    <span className="muted number">in {durationText(Math.ceil(ms / 1_000) * 1_000)}</span>
  ) : null;
}

function TaskElapsed({ task: { started_at: from, ended_at: to, status } }: { task: Task }) {
  if (from === undefined) return null;
  if (to === undefined && status !== 'running' && status !== 'assigned') return null;
  return <Elapsed from={from} to={to} />;
}

const STATE_COLUMNS: readonly Column<Task>[] = [
  {
    id: 'name',
    header: 'Task',
    cell: ({ name }) => name,
    text: ({ name }) => name,
    sortKey: 'name',
    isFixed: true,
    size: 220,
    card: 'title',
  },
  {
    id: 'status',
    header: 'Status',
    cell: (task) => <TaskState task={task} />,
    sortKey: 'status',
    size: 150,
    card: 'meta',
  },
];

const DETAIL_COLUMNS: readonly Column<Task>[] = [
  {
    id: 'parameters',
    header: 'Parameters',
    cell: (task) => <span className="mono">{parametersOf(task)}</span>,
    text: parametersOf,
    size: 160,
    hiddenAtFirst: true,
  },
  {
    id: 'worker',
    header: 'Worker',
    cell: ({ assigned_worker_id: id }) => (id === undefined ? '' : <WorkerName id={id} />),
    size: 140,
    card: 'meta',
  },
  {
    id: 'failures',
    header: 'Failures',
    cell: ({ failed_attempts: count }) => count,
    align: 'end',
    size: 80,
  },
  {
    id: 'started',
    header: 'Started',
    cell: ({ started_at: at }) => (at === undefined ? '' : <Ago iso={at} />),
    size: 110,
  },
  {
    id: 'elapsed',
    header: 'Elapsed',
    cell: (task) => <TaskElapsed task={task} />,
    size: 100,
    card: 'meta',
  },
  { id: 'progress', header: 'Progress', cell: (task) => progressOf(task), align: 'end', size: 90 },
  { id: 'reason', header: 'Reason', cell: reasonOf, text: reasonOf, grow: true, size: 240, card: 'line' },
  {
    id: 'updated_at',
    header: 'Changed',
    cell: ({ updated_at: at }) => <Ago iso={at} />,
    sortKey: 'updated_at',
    size: 110,
  },
];

/** Returns the columns of the tasks of a job. */
export function taskColumns(job: Pick<JobDetail, 'steps'>): readonly Column<Task>[] {
  const stepNames = new Map(job.steps.map(({ id, name }) => [id, name]));
  return [
    ...STATE_COLUMNS,
    {
      id: 'step',
      header: 'Step',
      cell: (task) => stepNames.get(task.step_id) ?? '',
      size: 120,
      hiddenAtFirst: true,
    },
    ...DETAIL_COLUMNS,
  ];
}
