import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Queue } from '../../../client/resources.ts';
import { Panel } from '../../parts/panel.tsx';
import { TimeChart } from '../../parts/time-chart.tsx';
import { farmQueries } from '../../state/farm-queries.ts';
import { useService } from '../../state/service.tsx';
import { usePermissions } from '../../state/use-permissions.ts';
import { useRefresh } from '../../state/use-refresh.ts';
import { queueSeries } from './queue-series.ts';

const REFRESH_MS = 15_000;
const MINUTES = 180;
const STEP_MINUTES = 3;
const HEIGHT = 200;

/** The cores that tasks of the queue booked in the last hours, of those of the farm. */
export function QueueUse({ queue: { id, farm_id: farm } }: { queue: Queue }) {
  const { rest } = useService();
  const { can } = usePermissions();
  const refetchInterval = useRefresh(REFRESH_MS);
  const { data: history } = useQuery({
    ...farmQueries.history(rest, farm, MINUTES, STEP_MINUTES),
    refetchInterval,
    enabled: can('infra.read'),
  });
  const chart = useMemo(() => (history === undefined ? null : queueSeries(history, id)), [history, id]);
  if (chart === null) return null;
  return (
    <Panel title="Utilisation, last 3 hours">
      {chart.isAmongOthers ? (
        <p className="muted">
          The queue is not among the busiest of its farm, of which alone the booked cores are recorded.
        </p>
      ) : (
        <TimeChart
          label="Cores booked by the queue in the last three hours"
          unit="cores"
          span={MINUTES * 60}
          height={HEIGHT}
          times={chart.times}
          series={chart.series}
        />
      )}
    </Panel>
  );
}
