import type { FarmHistory } from '../../../client/resources.ts';
import { chartTimes, type TimeSeries } from '../../parts/time-chart-model.ts';

/** The cores of a queue over time. */
export interface QueueSeries {
  readonly times: readonly number[];
  readonly series: readonly TimeSeries[];
  /** Whether the queue may have booked cores that the history counts only in the sum of all other queues. */
  readonly isAmongOthers: boolean;
}

/** Converts the history of a farm to chart series of one of its queues, with the cores of the farm as the limit. */
export function queueSeries(
  { times, queues, cores_total: online }: Pick<FarmHistory, 'times' | 'queues' | 'cores_total'>,
  id: string,
): QueueSeries {
  const own = queues.find(({ key, is_other: isOther }) => !isOther && key === id);
  return {
    times: chartTimes(times),
    series: [
      {
        label: 'Booked',
        color: '--state-running',
        isFilled: true,
        values: own?.cores_booked ?? times.map(() => 0),
      },
      { label: 'Farm online', color: '--text-muted', isLimit: true, values: online },
    ],
    isAmongOthers: own === undefined && queues.some(({ is_other: isOther }) => isOther),
  };
}
