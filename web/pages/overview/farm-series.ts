import type { FarmHistory } from '../../../client/resources.ts';
import { chartTimes, type TimeSeries } from '../../parts/time-chart-model.ts';

/** The time ranges to choose from. `minutes` is the length, `step` the minutes per point. */
export const RANGES = {
  '30m': { label: '30 min', minutes: 30, step: 1 },
  '3h': { label: '3 hours', minutes: 180, step: 3 },
  '24h': { label: '24 hours', minutes: 1_440, step: 20 },
} as const;
export type RangeName = keyof typeof RANGES;
export const RANGE_NAMES: readonly RangeName[] = ['30m', '3h', '24h'];

/** Series of the charts of a farm, all over the same times. */
export interface FarmCharts {
  /** In seconds since the epoch. */
  readonly times: readonly number[];
  readonly cores: readonly TimeSeries[];
  readonly tasks: readonly TimeSeries[];
  /** Finished tasks per point. */
  readonly ended: readonly TimeSeries[];
}

/** Converts the history of a farm to chart series. */
export function farmCharts(history: FarmHistory): FarmCharts {
  return {
    times: chartTimes(history.times),
    cores: [
      { label: 'Booked', color: '--state-running', isFilled: true, values: history.cores_booked },
      { label: 'Online', color: '--text-muted', isLimit: true, values: history.cores_total },
    ],
    tasks: [
      ...(history.tasks_running === undefined
        ? []
        : [{ label: 'Running', color: '--state-running', isFilled: true, values: history.tasks_running }]),
      ...(history.tasks_ready === undefined
        ? []
        : [{ label: 'Ready', color: '--state-unschedulable', values: history.tasks_ready }]),
    ],
    ended: [
      { label: 'Failed', color: '--state-failed', values: history.tasks_failed },
      { label: 'Succeeded', color: '--state-succeeded', values: history.tasks_succeeded },
    ],
  };
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Returns the sum of the last `count` values. */
export const sumOfLast = (values: readonly number[], count: number): number => sumOf(values.slice(-count));
