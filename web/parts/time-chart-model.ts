import { numberText } from './number-text.ts';

/** A series of a chart over time. */

export interface TimeSeries {
  readonly label: string;
  /** Custom property of styles/tokens.css: `--state-running`. */
  readonly color: string;
  readonly isFilled?: boolean;
  /** A thin reference line. */
  readonly isLimit?: boolean;
  /** One value per time; null if unknown. */
  readonly values: readonly (number | null)[];
}

/** A series with the values to draw. */
export interface DrawnSeries {
  readonly series: TimeSeries;
  /** Values to draw; in a stacked chart, including the series below. */
  readonly heights: readonly (number | null)[];
}

/** Returns the series in drawing order. In a stacked chart, the highest comes first and the others cover it. */
export function drawnSeries(series: readonly TimeSeries[], isStacked: boolean): readonly DrawnSeries[] {
  if (!isStacked) return series.map((one) => ({ series: one, heights: one.values }));
  const drawn: DrawnSeries[] = [];
  let below: readonly (number | null)[] = [];
  for (const one of series) {
    const heights = one.values.map((value, index) => (value === null ? null : value + (below[index] ?? 0)));
    drawn.unshift({ series: one, heights });
    below = heights;
  }
  return drawn;
}

/** Converts timestamps to seconds since the epoch. */
export const chartTimes = (isos: readonly string[]): readonly number[] =>
  isos.map((iso) => Math.round(Date.parse(iso) / 1_000));

/** Returns the last known value; null if there is none. */
export const lastValue = ({ values }: Pick<TimeSeries, 'values'>): number | null =>
  values.findLast((value) => value !== null) ?? null;

/** Formats a value with at most one decimal; a dash if it is unknown. */
export const valueText = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : numberText(value);

/** Returns a text alternative of the chart. */
export function chartText(label: string, series: readonly TimeSeries[], unit: string): string {
  const parts = series.map((one) => {
    const known = one.values.filter((value) => value !== null);
    const highest = known.reduce((most, value) => Math.max(most, value), 0);
    return `${one.label} ${valueText(lastValue(one))} ${unit} last, ${valueText(highest)} at most`;
  });
  return `${label}: ${parts.join('; ')}.`;
}
