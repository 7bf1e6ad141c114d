import { Link } from 'wouter';
import type { Queue } from '../../../client/resources.ts';
import { UseMeter } from '../../parts/meter.tsx';
import { counted } from '../../parts/number-text.ts';
import { Skeleton } from '../../parts/skeleton.tsx';
import { JOB_STATUSES, statusStyle } from '../../parts/status-looks.ts';
import './queue-load.css';

/** The jobs of a queue by status, each number a link to these jobs. */
export function QueueJobs({ queue: { id, name, summary } }: { queue: Queue }) {
  if (summary === undefined) return <Skeleton width="60%" />;
  const shown = JOB_STATUSES.filter((status) => summary.jobs[status] > 0);
  if (shown.length === 0) return <span className="muted">no jobs</span>;
  return (
    <span className="queue-jobs">
      {shown.map((status) => {
        const text = `${summary.jobs[status].toLocaleString('en')} ${statusStyle('job', status).label.toLowerCase()}`;
        return (
          <Link
            key={status}
            href={`/jobs?queue=${encodeURIComponent(id)}&status=${status}`}
            aria-label={`${text} in queue ${name}`}
          >
            {text}
          </Link>
        );
      })}
    </span>
  );
}

/** Returns the text of the jobs of a queue, as a tooltip. */
export function queueJobsText({ summary }: Queue): string {
  if (summary === undefined) return '';
  return JOB_STATUSES.filter((status) => summary.jobs[status] > 0)
    .map(
      (status) =>
        `${summary.jobs[status].toLocaleString('en')} ${statusStyle('job', status).label.toLowerCase()}`,
    )
    .join(', ');
}

/** The tasks of a queue that run and wait, with the limit of the queue. */
export function QueueTasks({ queue: { summary, max_concurrent_tasks: max } }: { queue: Queue }) {
  if (summary === undefined) return <Skeleton width="60%" />;
  const { tasks_live: live, tasks_ready: ready } = summary;
  return (
    <span className="queue-tasks">
      {max > 0 ? (
        <UseMeter used={live} total={max} unit="concurrent tasks" isAim />
      ) : (
        <span className={live === 0 ? 'muted' : ''}>{live.toLocaleString('en')} running</span>
      )}
      {ready > 0 && <span className="muted">{ready.toLocaleString('en')} ready</span>}
    </span>
  );
}

/** Returns the text of the tasks of a queue, as a tooltip. */
export function queueTasksText({ summary, max_concurrent_tasks: max }: Queue): string {
  if (summary === undefined) return '';
  const limit = max > 0 ? `, at most ${max.toLocaleString('en')} at once` : '';
  return `${counted(summary.tasks_live, 'task')} assigned or running, ${summary.tasks_ready.toLocaleString('en')} ready${limit}`;
}
