import { useQueries, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ProblemError } from '../../../../client/problem.ts';
import type { JobDetail } from '../../../../client/resources.ts';
import { QueryProblem } from '../../../parts/query-problem.tsx';
import { SkeletonLines } from '../../../parts/skeleton.tsx';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { TaskProgress } from '../../../parts/task-progress.tsx';
import { queries } from '../../../state/queries.ts';
import { useService } from '../../../state/service.tsx';
import { explained } from '../../../state/toasts.ts';
import { useEvents } from '../../../state/use-events.ts';
import { useThrottle } from '../../../state/use-throttle.ts';
import { REFRESH_MS } from '../use-job.ts';
import './dependencies-tab.css';

/** The upstream and the dependent jobs of a job. */
export function DependenciesTab({ job }: { job: JobDetail }) {
  const { rest } = useService();
  const upstream = job.depends_on ?? [];
  const upstreamQueries = useQueries({ queries: upstream.map((id) => queries.job(rest, id)) });
  const { data: dependents, error, refetch } = useQuery(queries.dependents(rest, job.id));
  const throttled = useThrottle(REFRESH_MS);
  useEvents('jobs', (events) => {
    const known = new Set([...upstream, ...(dependents?.items ?? []).map(({ id }) => id)]);
    if (!events.some(({ payload }) => known.has(payload.job_id))) return;
    throttled(() => {
      for (const each of upstreamQueries) void each.refetch();
      void refetch();
    });
  });
  return (
    <div className="dependencies">
      <section aria-label="Upstream jobs">
        <h2>Upstream jobs</h2>
        {upstream.length === 0 && <p className="muted">No upstream jobs.</p>}
        <ul>
          {upstream.map((id, nth) => {
            const found = upstreamQueries[nth]?.data;
            return (
              <JobLine key={id} id={id} name={found?.name ?? id}>
                {found !== undefined && (
                  <>
                    <StatusBadge kind="job" status={found.status} />
                    <TaskProgress counts={found.task_counts} />
                  </>
                )}
                {found === undefined && <MissingJob error={upstreamQueries[nth]?.error ?? null} />}
              </JobLine>
            );
          })}
        </ul>
      </section>
      <section aria-label="Dependent jobs">
        <h2>Dependent jobs</h2>
        {error !== null && (
          <QueryProblem error={error} what="the dependent jobs" onRetry={() => void refetch()} />
        )}
        {dependents === undefined && error === null && (
          <SkeletonLines lines={2} label="Loading the dependent jobs" />
        )}
        {dependents?.total === 0 && <p className="muted">No dependent jobs.</p>}
        <ul>
          {dependents?.items.map(({ id, name, status }) => (
            <JobLine key={id} id={id} name={name}>
              <StatusBadge kind="job" status={status} />
            </JobLine>
          ))}
        </ul>
        {dependents !== undefined && dependents.total > dependents.items.length && (
          <p className="muted">
            Showing {dependents.items.length.toLocaleString('en')} of {dependents.total.toLocaleString('en')}.
          </p>
        )}
      </section>
    </div>
  );
}

function MissingJob({ error }: { error: Error | null }) {
  if (error === null) return null;
  const isDeleted = error instanceof ProblemError && error.status === 404;
  return <span className="muted">{isDeleted ? 'deleted' : explained(error).detail}</span>;
}

function JobLine({ id, name, children }: { id: string; name: string; children: ReactNode }) {
  return (
    <li className="dependencies__job">
      <Link href={`/jobs/${id}`}>{name}</Link>
      {children}
    </li>
  );
}
