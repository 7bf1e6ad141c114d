import type { WorkerHistory } from '../../../client/resources.ts';
import { chartTimes, type TimeSeries } from '../../parts/time-chart-model.ts';

/** Converts the history of a worker to chart series. Values are null while it was not online. */
export function workerSeries({
  times,
  cores_booked: booked,
  cpu_count: cores,
}: Pick<WorkerHistory, 'times' | 'cores_booked' | 'cpu_count'>): {
  readonly times: readonly number[];
  readonly series: readonly TimeSeries[];
} {
  return {
    times: chartTimes(times),
    series: [
      { label: 'Booked', color: '--state-running', isFilled: true, values: booked },
      {
        label: 'Total',
        color: '--text-muted',
        isLimit: true,
        values: booked.map((value) => (value === null ? null : cores)),
      },
    ],
  };
}
