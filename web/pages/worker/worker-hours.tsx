import { useMemo } from 'react';
import type { WorkerDetail } from '../../../client/resources.ts';
import { Panel } from '../../parts/panel.tsx';
import { TimeChart } from '../../parts/time-chart.tsx';
import { workerSeries } from './worker-series.ts';

const HEIGHT = 230;
const SPAN_SECONDS = 3 * 3_600;

/** The booked cores of the last hours. */
export function WorkerHours({ worker: { history } }: { worker: Pick<WorkerDetail, 'history'> }) {
  const chart = useMemo(() => (history === undefined ? null : workerSeries(history)), [history]);
  if (chart === null) return null;
  return (
    <Panel title="Cores booked, last 3 hours">
      <TimeChart
        label="Cores booked in the last three hours"
        unit="cores"
        span={SPAN_SECONDS}
        height={HEIGHT}
        {...chart}
      />
    </Panel>
  );
}
