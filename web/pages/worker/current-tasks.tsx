import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Task, WorkerDetail } from '../../../client/resources.ts';
import { Panel } from '../../parts/panel.tsx';
import { ShortTable, type ShortColumn } from '../../parts/short-table.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Elapsed } from '../../parts/time.tsx';
import { useWorkerAttempts } from './use-worker-attempts.ts';

/** Returns the columns. `jobs`: names of jobs by id. */
const columnsOf = (jobs: ReadonlyMap<string, string>): readonly ShortColumn<Task>[] => [
  {
    header: 'Task',
    cell: ({ id, name }) => <Link href={`/tasks/${encodeURIComponent(id)}`}>{name}</Link>,
  },
  {
    header: 'Job',
    cell: ({ job_id: job }) => (
      <Link href={`/jobs/${encodeURIComponent(job)}`} title={job}>
        {jobs.get(job) ?? `${job.slice(0, 8)}…`}
      </Link>
    ),
  },
  { header: 'Status', cell: ({ status }) => <StatusBadge kind="task" status={status} />, isMinor: true },
  { header: 'Progress', cell: (task) => <TaskShare task={task} />, isMinor: true },
  {
    header: 'Elapsed',
    align: 'end',
    cell: ({ started_at: from }) => (from === undefined ? '' : <Elapsed from={from} />),
  },
];

/** The tasks that are assigned to the worker. */
export function CurrentTasks({ worker }: { worker: WorkerDetail }) {
  const { current_tasks: tasks } = worker;
  // Its first page has the open attempts, with the names of their jobs: one request for all of them.
  const attempts = useWorkerAttempts(worker.id).data?.items;
  const columns = useMemo(
    () => columnsOf(new Map(attempts?.map(({ job_id: id, job_name: name }) => [id, name]))),
    [attempts],
  );
  return (
    <Panel title="Current tasks" beside={<span className="muted number">{tasks.length}</span>} isWide>
      {tasks.length === 0 ? (
        <p className="muted">{idleText(worker)}</p>
      ) : (
        <ShortTable label="Current tasks" columns={columns} rows={tasks} rowId={({ id }) => id} />
      )}
    </Panel>
  );
}

function TaskShare({ task: { progress, status_message: message = '' } }: { task: Task }) {
  if (progress === undefined) return <span className="muted">{message === '' ? '–' : message}</span>;
  return (
    <span className="worker-page__progress" title={message}>
      <progress max={100} value={progress} aria-label={`${Math.floor(progress)} % done`} />
      <span className="number">{Math.floor(progress)} %</span>
      <span className="muted">{message}</span>
    </span>
  );
}

function idleText({ status, draining }: WorkerDetail): string {
  if (status === 'offline') return 'No tasks. The worker is offline.';
  if (status === 'disabled') return 'No tasks. The worker is disabled.';
  return draining === true ? 'No tasks. The worker is shutting down.' : 'Idle. Waiting for tasks.';
}
