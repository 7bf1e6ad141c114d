import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import './time-chart.css';

export interface TimeSeries {
  readonly label: string;
  /** A custom property of styles/tokens.css: `--state-running`. */
  readonly color: string;
  readonly isFilled?: boolean;
  /** One for each time; null where nothing is known. */
  readonly values: readonly (number | null)[];
}

export interface TimeChartProps {
  /** What is shown, in words, for those who do not see it. */
  readonly label: string;
  /** In seconds since the epoch, from old to new. */
  readonly times: readonly number[];
  readonly series: readonly TimeSeries[];
  readonly unit: string;
  readonly height?: number;
}

const colorOf = (name: string): string => {
  // Canvas knows no light-dark(): the browser resolves it on an element.
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
};

export function TimePlot({ label, times, series, unit, height = 180 }: TimeChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const axis = {
      stroke: colorOf('--text-muted'),
      grid: { stroke: colorOf('--border'), width: 1 },
      ticks: { show: false },
    };
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height,
        cursor: { y: false },
        scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.05)] } },
        axes: [axis, { ...axis, size: 56 }],
        series: [
          {},
          ...series.map(({ label: name, color, isFilled = false }) => {
            const stroke = colorOf(color);
            return {
              label: name,
              stroke,
              width: 1.5,
              points: { show: false },
              value: (_plot: UPlot, value: number | null) =>
                value === null ? '' : `${value.toLocaleString()} ${unit}`,
              ...(isFilled && { fill: stroke.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.18)') }),
            };
          }),
        ],
      },
      [[...times], ...series.map(({ values }) => [...values])],
      element,
    );
    const watcher = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plot.destroy();
    };
  }, [times, series, unit, height]);
  return <div ref={place} className="time-chart" role="img" aria-label={label} />;
}
