import { useQueries } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { FailureGroup, Job, JobFailures } from '../../../client/resources.ts';
import { WorkerName } from '../../parts/names.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Ago } from '../../parts/time.tsx';
import { farmQueries } from '../../state/farm-queries.ts';
import { useService } from '../../state/service.tsx';
import { jobsWithFailures } from './attention.ts';

/** Jobs whose failure reasons are requested, one request each. */
const MAX_JOBS = 5;
const MAX_GROUPS = 2;
const MAX_WORKERS = 3;

/** The failure reasons of the jobs with the newest failures. */
export function FailuresPanel({ jobs }: { jobs: readonly Job[] }) {
  const { rest } = useService();
  const shown = jobsWithFailures(jobs).slice(0, MAX_JOBS);
  const failures = useQueries({
    queries: shown.map((job) => farmQueries.jobFailures(rest, job.id, job.task_counts.failed)),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
  return (
    <Panel title="Newest failures" isWide>
      {shown.length === 0 ? (
        <p className="muted">No failed tasks in the latest jobs.</p>
      ) : (
        <ul className="farm-failures">
          {shown.map((job) => (
            <li key={job.id} className="farm-failures__job">
              <div className="farm-failures__head">
                <Link href={`/jobs/${encodeURIComponent(job.id)}`}>{job.name}</Link>
                <span className="muted">
                  {job.task_counts.failed === 1
                    ? '1 task failed'
                    : `${job.task_counts.failed.toLocaleString('en')} tasks failed`}
                  {' · '}
                  <Ago iso={job.updated_at} />
                </span>
              </div>
              <Reasons failures={failures.find((one) => one.job_id === job.id)} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Reasons({ failures }: { failures: JobFailures | undefined }) {
  if (failures === undefined) return null;
  return (
    <ul className="farm-failures__reasons">
      {failures.groups.slice(0, MAX_GROUPS).map((group) => (
        <Reason key={group.reason} group={group} />
      ))}
      {failures.groups.length > MAX_GROUPS && (
        <li className="muted">and {failures.groups.length - MAX_GROUPS} other reasons</li>
      )}
    </ul>
  );
}

function Reason({ group: { reason, count, task_ids: tasks, worker_ids: workers } }: { group: FailureGroup }) {
  const [task] = tasks;
  const text = reason === '' ? 'No reason given' : (reason.split('\n')[0] ?? reason);
  return (
    <li className="farm-failures__reason">
      <span className="farm-failures__count number">{count.toLocaleString('en')} ×</span>
      <span>
        {task === undefined ? (
          text
        ) : (
          <Link href={`/tasks/${encodeURIComponent(task)}`} title={reason}>
            {text}
          </Link>
        )}
        {workers.length > 0 && <span className="muted"> on </span>}
        {workers.slice(0, MAX_WORKERS).map((id, index) => (
          <span key={id}>
            {index > 0 && ', '}
            <WorkerName id={id} />
          </span>
        ))}
        {workers.length > MAX_WORKERS && (
          <span className="muted"> and {workers.length - MAX_WORKERS} other workers</span>
        )}
      </span>
    </li>
  );
}
