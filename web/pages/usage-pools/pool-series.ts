import type { UsagePoolUse } from '../../../client/resources.ts';
import { chartTimes, type TimeSeries } from '../../parts/time-chart-model.ts';

/** Converts the history of a usage pool to chart series that end now. The line of its slots is that of now. */
export function poolSeries(
  { times, in_use: past }: UsagePoolUse['history'],
  pool: Pick<UsagePoolUse['pool'], 'in_use' | 'max_concurrent' | 'effective_slots'>,
  nowMs: number,
): { readonly times: readonly number[]; readonly series: readonly TimeSeries[] } {
  const { in_use: inUse, max_concurrent: most, effective_slots: slots = most } = pool;
  const values = [...past, inUse];
  const pastTimes = chartTimes(times);
  // The clock of the browser may be slow.
  const now = Math.max(nowMs / 1000, (pastTimes.at(-1) ?? 0) + 1);
  return {
    times: [...pastTimes, now],
    series: [
      { label: 'In use', color: '--state-running', isFilled: true, values },
      {
        label: 'Slots',
        color: '--text-muted',
        isLimit: true,
        values: values.map((value) => (value === null ? null : slots)),
      },
    ],
  };
}
