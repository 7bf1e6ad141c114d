import type { FarmHistory } from '../../../client/resources.ts';
import { chartTimes, type TimeSeries } from '../../parts/time-chart-model.ts';

/** The cores of a queue over time. */
export interface QueueSeries {
  readonly times: readonly number[];
  readonly series: readonly TimeSeries[];
  /** Whether the queue may have booked cores that the history counts only in the sum of all other queues. */
  readonly isAmongOthers: boolean;
}

/** Converts the history of a farm to chart series of one of its queues, up to now, with the cores of the farm as the limit. */
export function queueSeries(
  { times, queues, cores_total: online, now }: Pick<FarmHistory, 'times' | 'queues' | 'cores_total' | 'now'>,
  id: string,
): QueueSeries {
  const isOwn = ({ key, is_other: isOther }: { readonly key: string; readonly is_other: boolean }): boolean =>
    !isOther && key === id;
  const own = queues.find(isOwn);
  const bookedNow = now?.queues.find(isOwn)?.cores_booked ?? 0;
  const past = own?.cores_booked ?? times.map(() => 0);
  return {
    times: chartTimes(now === undefined ? times : [...times, now.at]),
    series: [
      {
        label: 'Booked',
        color: '--state-running',
        isFilled: true,
        values: now === undefined ? past : [...past, bookedNow],
      },
      {
        label: 'Farm online',
        color: '--text-muted',
        isLimit: true,
        values: now === undefined ? online : [...online, now.cores_total],
      },
    ],
    isAmongOthers: own === undefined && queues.some(({ is_other: isOther }) => isOther),
  };
}
