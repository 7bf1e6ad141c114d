import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Worker } from '../../../client/resources.ts';
import { Panel } from '../../parts/panel.tsx';
import { QueryProblem } from '../../parts/query-problem.tsx';
import { SkeletonLines } from '../../parts/skeleton.tsx';
import { TimeChart } from '../../parts/time-chart.tsx';
import { farmQueries } from '../../state/farm-queries.ts';
import { useService } from '../../state/service.tsx';
import { useRefresh } from '../../state/use-refresh.ts';
import { workerSeries } from './worker-series.ts';

const REFRESH_MS = 30_000;
const HEIGHT = 230;
const SPAN_SECONDS = 3 * 3_600;

/** The booked cores of the last hours. */
export function WorkerHours({ worker: { id } }: { worker: Pick<Worker, 'id'> }) {
  const { rest } = useService();
  const refetchInterval = useRefresh(REFRESH_MS);
  const { data, error, refetch } = useQuery({ ...farmQueries.workerHistory(rest, id), refetchInterval });
  const chart = useMemo(() => (data === undefined ? null : workerSeries(data)), [data]);
  return (
    <Panel title="Cores booked, last 3 hours">
      {chart !== null ? (
        <TimeChart
          label="Cores booked in the last three hours"
          unit="cores"
          span={SPAN_SECONDS}
          height={HEIGHT}
          {...chart}
        />
      ) : error !== null ? (
        <QueryProblem error={error} what="the history" onRetry={() => void refetch()} />
      ) : (
        <SkeletonLines lines={6} label="Loading the history" />
      )}
    </Panel>
  );
}
