import type { WorkerHistory } from '../../../client/resources.ts';
import { chartTimes, type TimeSeries } from '../../parts/time-chart-model.ts';

/** The history of a worker as a chart shows it: null where it was not online. */
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
        label: 'Cores it has',
        color: '--text-muted',
        isLimit: true,
        values: booked.map((value) => (value === null ? null : cores)),
      },
    ],
  };
}
