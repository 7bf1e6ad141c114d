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

/** The jobs that this one waits for, and those that wait for it. */
export function DependenciesTab({ job }: { job: JobDetail }) {
  const { rest } = useService();
  const upstream = job.depends_on ?? [];
  const ups = useQueries({ queries: upstream.map((id) => queries.job(rest, id)) });
  const { data: downs, error, refetch } = useQuery(queries.dependents(rest, job.id));
  const throttled = useThrottle(REFRESH_MS);
  useEvents('jobs', (events) => {
    const known = new Set([...upstream, ...(downs?.items ?? []).map(({ id }) => id)]);
    if (!events.some(({ payload }) => known.has(payload.job_id))) return;
    throttled(() => {
      for (const each of ups) void each.refetch();
      void refetch();
    });
  });
  return (
    <div className="dependencies">
      <section aria-label="Waits for">
        <h2>It waits for</h2>
        {upstream.length === 0 && <p className="muted">No other job.</p>}
        <ul>
          {upstream.map((id, nth) => {
            const found = ups[nth]?.data;
            return (
              <JobLine key={id} id={id} name={found?.name ?? id}>
                {found !== undefined && (
                  <>
                    <StatusBadge kind="job" status={found.status} />
                    <TaskProgress counts={found.task_counts} />
                  </>
                )}
                {found === undefined && <Missing error={ups[nth]?.error ?? null} />}
              </JobLine>
            );
          })}
        </ul>
      </section>
      <section aria-label="Waiting for it">
        <h2>What waits for it</h2>
        {error !== null && (
          <QueryProblem error={error} what="the dependents" onRetry={() => void refetch()} />
        )}
        {downs === undefined && error === null && <SkeletonLines lines={2} label="Loading the dependents" />}
        {downs?.total === 0 && <p className="muted">No other job.</p>}
        <ul>
          {downs?.items.map(({ id, name, status }) => (
            <JobLine key={id} id={id} name={name}>
              <StatusBadge kind="job" status={status} />
            </JobLine>
          ))}
        </ul>
        {downs !== undefined && downs.total > downs.items.length && (
          <p className="muted">
            {downs.items.length.toLocaleString('en')} of {downs.total.toLocaleString('en')} are shown.
          </p>
        )}
      </section>
    </div>
  );
}

function Missing({ error }: { error: Error | null }) {
  if (error === null) return null;
  const isGone = error instanceof ProblemError && error.status === 404;
  return <span className="muted">{isGone ? 'it does not exist any more' : explained(error).detail}</span>;
}

function JobLine({ id, name, children }: { id: string; name: string; children: ReactNode }) {
  return (
    <li className="dependencies__job">
      <Link href={`/jobs/${id}`}>{name}</Link>
      {children}
    </li>
  );
}
