import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { Link } from 'wouter';
import type { ConnectedJob, JobDetail, JobGraph as Connected } from '../../../../client/resources.ts';
import { lazyPart } from '../../../parts/lazy-part.tsx';
import { QueryProblem } from '../../../parts/query-problem.tsx';
import { Skeleton, SkeletonLines } from '../../../parts/skeleton.tsx';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { TaskProgress } from '../../../parts/task-progress.tsx';
import { queries } from '../../../state/queries.ts';
import { useService } from '../../../state/service.tsx';
import { useEvents } from '../../../state/use-events.ts';
import { useThrottle } from '../../../state/use-throttle.ts';
import { REFRESH_MS } from '../use-job.ts';
import './dependencies-tab.css';

const JobGraph = lazyPart(async () => (await import('../graph/job-graph.tsx')).JobGraph);

/** The jobs that a job is connected to by dependencies, as a graph and as lists. */
export function DependenciesTab({ job }: { job: JobDetail }) {
  const { rest } = useService();
  const { data, error, refetch } = useQuery(queries.jobGraph(rest, job.id));
  const throttled = useThrottle(REFRESH_MS);
  useEvents('jobs', (events) => {
    const known = new Set(data?.items.map(({ id }) => id));
    if (events.some(({ payload }) => known.has(payload.job_id))) throttled(() => void refetch());
  });
  if (data === undefined)
    return error === null ? (
      <SkeletonLines lines={6} label="Loading the dependencies" />
    ) : (
      <QueryProblem error={error} what="the dependencies" onRetry={() => void refetch()} />
    );
  return <Dependencies job={job} connected={data} />;
}

function Dependencies({ job, connected }: { job: JobDetail; connected: Connected }) {
  const { items, is_partial: isPartial } = connected;
  const upstream = job.depends_on ?? [];
  const byId = new Map(items.map((each) => [each.id, each]));
  const dependents = items.filter(({ depends_on: own }) => own.includes(job.id));
  const direct = new Set([job.id, ...upstream, ...dependents.map(({ id }) => id)]);
  const others = items.filter(({ id }) => !direct.has(id));
  return (
    <>
      {items.length > 1 && (
        <Suspense fallback={<Skeleton width="100%" height="260px" />}>
          <JobGraph jobs={items} current={job.id} />
        </Suspense>
      )}
      {isPartial && (
        <p className="muted">
          {`More jobs are connected. These are the ${items.length.toLocaleString('en')} nearest.`}
        </p>
      )}
      <div className="dependencies">
        <section aria-label="Upstream jobs">
          <h2>Upstream jobs</h2>
          {upstream.length === 0 && <p className="muted">No upstream jobs.</p>}
          <ul>
            {upstream.map((id) => {
              const found = byId.get(id);
              return found === undefined ? (
                <li key={id} className="dependencies__job">
                  <Link href={`/jobs/${id}`}>{id}</Link>
                  <span className="muted">{isPartial ? 'not loaded' : 'deleted'}</span>
                </li>
              ) : (
                <JobLine key={id} job={found} />
              );
            })}
          </ul>
        </section>
        <section aria-label="Dependent jobs">
          <h2>Dependent jobs</h2>
          {dependents.length === 0 && !isPartial && <p className="muted">No dependent jobs.</p>}
          <ul>
            {dependents.map((each) => (
              <JobLine key={each.id} job={each} />
            ))}
          </ul>
        </section>
        {others.length > 0 && (
          <section aria-label="Other connected jobs">
            <h2>Other connected jobs</h2>
            <ul>
              {others.map((each) => (
                <JobLine
                  key={each.id}
                  job={each}
                  after={each.depends_on.map((id) => byId.get(id)?.name ?? id)}
                />
              ))}
            </ul>
          </section>
        )}
      </div>
    </>
  );
}

/** `after`: the names of its own upstream jobs, where they are not clear from the heading. */
function JobLine({ job, after = [] }: { job: ConnectedJob; after?: readonly string[] }) {
  return (
    <li className="dependencies__job">
      <Link href={`/jobs/${job.id}`}>{job.name}</Link>
      <StatusBadge kind="job" status={job.status} />
      <TaskProgress counts={job.task_counts} />
      {after.length > 0 && <span className="dependencies__after muted">after {after.join(', ')}</span>}
    </li>
  );
}
