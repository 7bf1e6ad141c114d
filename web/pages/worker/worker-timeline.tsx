import { useMemo } from 'react';
import { useLocation } from 'wouter';
import type { WorkerDetail } from '../../../client/resources.ts';
import { Panel } from '../../parts/panel.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { attemptBar } from '../../parts/timeline/attempt-bars.ts';
import { LaneTable } from '../../parts/timeline/lane-table.tsx';
import { TimeSpanChoice } from '../../parts/timeline/time-span-choice.tsx';
import { Timeline } from '../../parts/timeline/timeline.tsx';
import { timelineOf } from '../../parts/timeline/timeline-model.ts';
import { WORKER_ATTEMPTS_MAX } from '../../state/farm-queries.ts';
import { useNow } from '../../state/use-now.ts';
import { useWorkerAttempts } from './use-worker-attempts.ts';

/** When the worker ran which attempts of which jobs, past ones included: one lane for each job. */
export function WorkerTimeline({ worker: { id } }: { worker: Pick<WorkerDetail, 'id'> }) {
  const [, navigate] = useLocation();
  const { data, error, refetch, span, setSpan } = useWorkerAttempts(id);
  const attempts = data?.items;
  const isOpen = attempts?.some(({ ended_at: end }) => end === undefined) === true;
  const now = useNow(isOpen ? 'second' : 'half-minute');
  const jobs = useMemo(
    () => new Map(attempts?.map(({ job_id: job, job_name: name }) => [job, name])),
    [attempts],
  );
  const model = useMemo(
    () =>
      timelineOf(
        attempts?.map((attempt) => attemptBar(attempt, attempt.job_id)) ?? [],
        (job) => jobs.get(job) ?? job,
        isOpen ? now : 0,
      ),
    [attempts, jobs, isOpen, now],
  );
  return (
    <Panel title="Timeline" isWide beside={<TimeSpanChoice span={span} onChange={setSpan} />}>
      {attempts === undefined ? (
        error === null ? (
          <SkeletonLines lines={4} label="Loading the attempts" />
        ) : (
          <QueryProblem error={error} what="the attempts" onRetry={() => void refetch()} />
        )
      ) : attempts.length === 0 ? (
        <p className="muted">No attempt in this time.</p>
      ) : (
        <div className="stack">
          <Timeline
            model={model}
            now={now}
            label="Attempts by job over time"
            onOpen={({ id: href }) => navigate(href)}
          />
          {data?.next !== undefined && (
            <p className="muted">
              Shows the latest {WORKER_ATTEMPTS_MAX.toLocaleString('en')} attempts. Choose a shorter time, or
              list all with <code>callsheet workers attempts</code>.
            </p>
          )}
          <LaneTable model={model} now={now} laneName="Job" />
        </div>
      )}
    </Panel>
  );
}
