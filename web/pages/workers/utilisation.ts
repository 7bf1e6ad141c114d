import type { FarmHistory } from '../../../client/resources.ts';
import { chartTimes } from '../../parts/time-chart-model.ts';

/** Booked cores and existing cores over time. */
export interface Utilisation {
  /** In seconds since the epoch. */
  readonly times: readonly number[];
  readonly booked: readonly number[];
  readonly total: readonly number[];
}

type CoresOverTime = Pick<FarmHistory, 'times' | 'cores_booked' | 'cores_total'>;

/** Returns the sum over farms at every time of any farm. A farm without that time counts as 0. */
export function summedUtilisation(farms: readonly CoresOverTime[]): Utilisation {
  const sums = new Map<number, { booked: number; total: number }>();
  for (const { times, cores_booked: booked, cores_total: total } of farms) {
    chartTimes(times).forEach((at, index) => {
      const sum = sums.get(at) ?? { booked: 0, total: 0 };
      sum.booked += booked[index] ?? 0;
      sum.total += total[index] ?? 0;
      sums.set(at, sum);
    });
  }
  const sorted = [...sums].sort(([one], [other]) => one - other);
  return {
    times: sorted.map(([at]) => at),
    booked: sorted.map(([, { booked }]) => booked),
    total: sorted.map(([, { total }]) => total),
  };
}
