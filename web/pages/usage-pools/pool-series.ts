import type { UsagePoolUse } from '../../../client/resources.ts';
import { chartTimes, type TimeSeries } from '../../parts/time-chart-model.ts';

/** Converts the history of a usage pool to chart series. The line of its slots is that of now. */
export function poolSeries(
  { times, in_use: inUse }: UsagePoolUse['history'],
  slots: number,
): { readonly times: readonly number[]; readonly series: readonly TimeSeries[] } {
  return {
    times: chartTimes(times),
    series: [
      { label: 'In use', color: '--state-running', isFilled: true, values: inUse },
      {
        label: 'Slots',
        color: '--text-muted',
        isLimit: true,
        values: inUse.map((value) => (value === null ? null : slots)),
      },
    ],
  };
}
