import { Suspense, useState } from 'react';
import { lazyPart } from './lazy-part.tsx';
import { Skeleton } from './skeleton.tsx';
import { chartText, lastValue, valueText, type TimeSeries } from './time-chart-model.ts';
import { useUtc } from './time.tsx';
import './time-chart.css';

const Plot = lazyPart(async () => (await import('./time-plot.tsx')).TimePlot);

export interface TimeChartProps {
  /** Title of the chart. */
  readonly label: string;
  /** Seconds since the epoch, oldest first. */
  readonly times: readonly number[];
  readonly series: readonly TimeSeries[];
  readonly unit: string;
  /** Seconds shown before the last time, also without data. 0 shows everything from the first time. */
  readonly span?: number;
  /** In pixels. */
  readonly height?: number;
  /** Stacked bars instead of lines. */
  readonly isStacked?: boolean;
  /** Charts of the same group show the same time under the pointer. */
  readonly group?: string;
  /** Shown when there is not enough data. */
  readonly empty?: string;
}

const HEIGHT = 180;
/** A line needs two points. */
const POINTS_MIN = 2;

/**
 * Values over time, with a legend that shows the values at the pointer, and a table with the same data. Loads the
 * chart library when the first chart is shown. `times` and `series` must keep their identity until their values
 * change.
 */
export function TimeChart(props: TimeChartProps) {
  const {
    label,
    times,
    series,
    unit,
    height = HEIGHT,
    isStacked = false,
    group = '',
    span = 0,
    empty,
  } = props;
  const [pointed, setPointed] = useState<number | null>(null);
  const index = pointed !== null && pointed < times.length ? pointed : null;
  if (times.length < POINTS_MIN)
    return (
      <div className="time-chart__empty muted" style={{ minHeight: height }}>
        {empty ?? 'Not enough data yet. A point is added every minute.'}
      </div>
    );
  return (
    <figure className="time-chart" aria-label={label}>
      <figcaption className="time-chart__legend">
        {series.map((one) => (
          <span key={one.label} className="time-chart__entry">
            <span
              className={
                one.isLimit === true ? 'time-chart__swatch time-chart__swatch--limit' : 'time-chart__swatch'
              }
              style={{ color: `var(${one.color})` }}
              aria-hidden="true"
            />
            {one.label}{' '}
            <strong className="number">
              {valueText(index === null ? lastValue(one) : one.values[index])}
            </strong>
          </span>
        ))}
        <span className="time-chart__at muted">
          {index === null ? unit : <TimeOf seconds={times[index] ?? 0} />}
        </span>
      </figcaption>
      <div role="img" aria-label={chartText(label, series, unit)}>
        <Suspense fallback={<Skeleton width="100%" height={`${height}px`} />}>
          <Plot
            times={times}
            series={series}
            height={height}
            isStacked={isStacked}
            group={group}
            span={span}
            onPoint={setPointed}
          />
        </Suspense>
      </div>
      <ChartTable times={times} series={series} label={label} unit={unit} />
    </figure>
  );
}

/** The values as a table, rendered when it is opened. */
function ChartTable({
  times,
  series,
  label,
  unit,
}: Pick<TimeChartProps, 'times' | 'series' | 'label' | 'unit'>) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details className="time-chart__table" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>Values</summary>
      {isOpen && (
        <div className="time-chart__scroller" tabIndex={0} role="group" aria-label={`${label}: values`}>
          <table>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {series.map((one) => (
                  <th key={one.label} scope="col">
                    {one.label} ({unit})
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times
                .map((time, index) => (
                  <tr key={time}>
                    <th scope="row">
                      <TimeOf seconds={time} />
                    </th>
                    {series.map((one) => (
                      <td key={one.label}>{valueText(one.values[index])}</td>
                    ))}
                  </tr>
                ))
                .reverse()}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

function TimeOf({ seconds }: { seconds: number }) {
  const [isUtc] = useUtc();
  const text = new Date(seconds * 1_000).toLocaleString(undefined, {
    dateStyle: 'medium',
    timeStyle: 'short',
    ...(isUtc && { timeZone: 'UTC' }),
  });
  return (
    <span className="number">
      {text}
      {isUtc && ' UTC'}
    </span>
  );
}
