import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { WorkerWithAttempts } from '../../../client/resources.ts';
import { Button } from '../../parts/button.tsx';
import '../../parts/filter-choice.css';
import { EmptyState } from '../../parts/empty-state.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { attemptBar } from '../../parts/timeline/attempt-bars.ts';
import { LaneTable } from '../../parts/timeline/lane-table.tsx';
import { TimeSpanChoice } from '../../parts/timeline/time-span-choice.tsx';
import { Timeline } from '../../parts/timeline/timeline.tsx';
import { timelineOf } from '../../parts/timeline/timeline-model.ts';
import { FARM_TIMELINE_WORKERS, farmQueries } from '../../state/farm-queries.ts';
import { queries } from '../../state/queries.ts';
import { useService } from '../../state/service.tsx';
import { timeSpanField } from '../../state/time-span.ts';
import { useNow } from '../../state/use-now.ts';
import { useRefresh } from '../../state/use-refresh.ts';
import { useUrlState } from '../../state/use-url-state.ts';

const REFRESH_MS = 15_000;
const VIEW = { span: timeSpanField };

/** When the workers of a farm ran which attempts: one lane for each worker, some workers at a time. */
export function WorkersTimeline({ farm: chosen, onFarm }: { farm: string; onFarm: (farm: string) => void }) {
  const { rest } = useService();
  const farms = useQuery(queries.farms(rest)).data;
  const farm = chosen === '' ? farms?.[0]?.id : chosen;
  if (farms === undefined) return <Skeleton width="100%" height="200px" />;
  if (farm === undefined)
    return <EmptyState title="No farms yet">Create a farm, then start its workers.</EmptyState>;
  return (
    <>
      {farms.length > 1 && (
        <div className="row">
          <select
            className="input filter-choice"
            aria-label="Farm"
            value={farm}
            onChange={(event) => onFarm(event.target.value)}
          >
            {farms.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </div>
      )}
      <FarmTimeline key={farm} farm={farm} />
    </>
  );
}

function FarmTimeline({ farm }: { farm: string }) {
  const { rest } = useService();
  const [, navigate] = useLocation();
  const [{ span }, setView] = useUrlState(VIEW);
  const [offset, setOffset] = useState(0);
  const refetchInterval = useRefresh(REFRESH_MS);
  const { data, error, refetch } = useQuery({
    ...farmQueries.farmAttempts(rest, farm, span, offset),
    refetchInterval,
  });
  const workers = data?.items;
  const isOpen = workers?.some(hasOpen) === true;
  const now = useNow(isOpen ? 'second' : 'half-minute');
  const model = useMemo(() => modelOf(workers ?? [], isOpen ? now : 0), [workers, isOpen, now]);
  if (data === undefined || workers === undefined)
    return error === null ? (
      <Skeleton width="100%" height="200px" />
    ) : (
      <QueryProblem error={error} what="the attempts" onRetry={() => void refetch()} />
    );
  const cut = workers.filter(({ has_more: hasMore }) => hasMore).length;
  return (
    <div className="stack">
      <TimeSpanChoice span={span} onChange={(next) => setView({ span: next }, { replace: true })} />
      {model.rows.length === 0 ? (
        <EmptyState title="No attempt in this time">Tasks appear here when a worker starts them.</EmptyState>
      ) : (
        <>
          <Timeline
            model={model}
            now={now}
            label="Attempts by worker over time"
            onOpen={({ id: href }) => navigate(href)}
          />
          {cut > 0 && (
            <p className="muted">
              Earlier attempts of {cut} {cut === 1 ? 'worker are' : 'workers are'} left out. Choose a shorter
              time, or open a worker.
            </p>
          )}
          <LaneTable model={model} now={now} laneName="Worker" />
        </>
      )}
      {data.total > workers.length && (
        <WorkerRange offset={offset} shown={workers.length} total={data.total} onChange={setOffset} />
      )}
    </div>
  );
}

function WorkerRange({
  offset,
  shown,
  total,
  onChange,
}: {
  offset: number;
  shown: number;
  total: number;
  onChange: (offset: number) => void;
}) {
  return (
    <div className="row">
      <span>
        Workers {offset + 1} to {offset + shown} of {total.toLocaleString('en')}
      </span>
      <Button
        size="small"
        disabledReason={offset === 0 ? 'These are the first workers.' : ''}
        onPress={() => onChange(Math.max(0, offset - FARM_TIMELINE_WORKERS))}
      >
        Previous workers
      </Button>
      <Button
        size="small"
        disabledReason={offset + shown >= total ? 'These are the last workers.' : ''}
        onPress={() => onChange(offset + FARM_TIMELINE_WORKERS)}
      >
        Next workers
      </Button>
    </div>
  );
}

const hasOpen = ({ attempts }: WorkerWithAttempts): boolean =>
  attempts.some(({ ended_at: end }) => end === undefined);

function modelOf(workers: readonly WorkerWithAttempts[], now: number) {
  const names = new Map(workers.map(({ worker_id: id, worker_name: name }) => [id, name]));
  const items = workers.flatMap(({ worker_id: id, attempts }) =>
    attempts.map((each) => attemptBar(each, id)),
  );
  return timelineOf(items, (id) => names.get(id) ?? id, now);
}
