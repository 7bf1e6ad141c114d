import { numberText } from './number-text.ts';

/** What a chart over time draws and says, apart from how. */

export interface TimeSeries {
  readonly label: string;
  /** A custom property of styles/tokens.css: `--state-running`. */
  readonly color: string;
  readonly isFilled?: boolean;
  /** A thin line that the others are measured by. */
  readonly isLimit?: boolean;
  /** One for each time; null where nothing is known. */
  readonly values: readonly (number | null)[];
}

/** A series as it is drawn. */
export interface DrawnSeries {
  readonly series: TimeSeries;
  /** What is drawn: with those below it where series are stacked. */
  readonly heights: readonly (number | null)[];
}

/** The series in the order in which they are drawn: of stacked ones the highest comes first, the others cover it. */
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

/** Timestamps of the service as a chart takes them: in seconds since the epoch. */
export const chartTimes = (isos: readonly string[]): readonly number[] =>
  isos.map((iso) => Math.round(Date.parse(iso) / 1_000));

/** The last value that is known; null when none is. */
export const lastValue = ({ values }: Pick<TimeSeries, 'values'>): number | null =>
  values.findLast((value) => value !== null) ?? null;

/** A value with at most one digit behind the point; a dash where nothing is known. */
export const valueText = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : numberText(value);

/** The chart in a sentence, for those who do not see it. */
export function chartInWords(label: string, series: readonly TimeSeries[], unit: string): string {
  const parts = series.map((one) => {
    const known = one.values.filter((value) => value !== null);
    const highest = known.reduce((most, value) => Math.max(most, value), 0);
    return `${one.label} ${valueText(lastValue(one))} ${unit} last, ${valueText(highest)} at most`;
  });
  return `${label}: ${parts.join('; ')}.`;
}
