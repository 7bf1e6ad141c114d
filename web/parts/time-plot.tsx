import { useEffect, useEffectEvent, useMemo, useRef, useSyncExternalStore } from 'react';
import UPlot from 'uplot';
import { drawnSeries, type DrawnSeries, type TimeSeries } from './time-chart-model.ts';
import { useUtc } from './time.tsx';

const AXIS_SIZE = 46;
const AXIS_FONT = '11px system-ui, sans-serif';
const HEADROOM = 1.08;
const BAR_SHARE = 0.7;
const BAR_WIDTH_MAX = 24;
const FILL_SHARE = '18%';
/** Steps of the value axis: whole numbers, for cores and tasks. */
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6];

/** Steps of the time axis, in seconds. */
const TIME_STEPS = [60, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400];

const DARK = '(prefers-color-scheme: dark)';

/** Calls `changed` when the theme changes, because a canvas must then be redrawn. */
function subscribeScheme(changed: () => void): () => void {
  const media = matchMedia(DARK);
  const watcher = new MutationObserver(changed);
  media.addEventListener('change', changed);
  watcher.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return () => {
    media.removeEventListener('change', changed);
    watcher.disconnect();
  };
}

const currentScheme = (): string =>
  document.documentElement.dataset['theme'] ?? (matchMedia(DARK).matches ? 'dark' : 'light');

/** Resolves a CSS color on an element: a canvas supports neither variables nor light-dark(). */
function resolved(color: string): string {
  const probe = document.createElement('span');
  probe.style.color = color;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

interface PlotProps {
  readonly times: readonly number[];
  readonly series: readonly TimeSeries[];
  readonly height: number;
  readonly isStacked: boolean;
  readonly group: string;
  readonly span: number;
  readonly onPoint: (index: number | null) => void;
}

/** Draws a chart on a canvas. */
export function TimePlot({ times, series, height, isStacked, group, span, onPoint }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const plotted = useRef<UPlot | null>(null);
  const scheme = useSyncExternalStore(subscribeScheme, currentScheme);
  const [isUtc] = useUtc();
  const point = useEffectEvent(onPoint);
  const drawn = useMemo(() => drawnSeries(series, isStacked), [series, isStacked]);
  const data = useMemo(
    (): UPlot.AlignedData => [[...times], ...drawn.map(({ heights }) => [...heights])],
    [times, drawn],
  );
  const looks = JSON.stringify(drawn.map(({ series: { values: _values, ...look } }) => look));
  const make = useEffectEvent(
    (element: HTMLElement, onCursor: (plot: UPlot) => void) =>
      new UPlot(
        plotOptions(drawn, { width: element.clientWidth, height, isStacked, group, span, isUtc, onCursor }),
        data,
        element,
      ),
  );

  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const plot = make(element, (moved) => point(moved.cursor.idx ?? null));
    plotted.current = plot;
    const watcher = new ResizeObserver(() => {
      if (element.clientWidth > 0) plot.setSize({ width: element.clientWidth, height });
    });
    watcher.observe(element);
    return () => {
      watcher.disconnect();
      plotted.current = null;
      plot.destroy();
    };
  }, [looks, height, isStacked, group, span, scheme, isUtc]);
  useEffect(() => plotted.current?.setData(data), [data]);
  return <div ref={place} className="time-chart__plot" style={{ minHeight: height }} />;
}

interface PlotLooks {
  readonly width: number;
  readonly height: number;
  readonly isStacked: boolean;
  readonly group: string;
  readonly span: number;
  readonly isUtc: boolean;
  readonly onCursor: (plot: UPlot) => void;
}

function plotOptions(
  drawn: readonly DrawnSeries[],
  { width, height, isStacked, group, span, isUtc, onCursor }: PlotLooks,
): UPlot.Options {
  const axis: UPlot.Axis = {
    stroke: resolved('var(--text-muted)'),
    grid: { stroke: resolved('var(--border)'), width: 1 },
    ticks: { show: false },
    font: AXIS_FONT,
  };
  const bars = UPlot.paths.bars?.({ size: [BAR_SHARE, BAR_WIDTH_MAX], align: -1 });
  const hour = new Intl.DateTimeFormat(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(isUtc && { timeZone: 'UTC' }),
  });
  return {
    width,
    height,
    legend: { show: false },
    padding: [6, 18, 0, 0],
    cursor: {
      y: false,
      drag: { x: false, y: false },
      ...(isStacked && { points: { show: false } }),
      ...(group !== '' && { sync: { key: group } }),
    },
    scales: {
      x: { range: (_plot, min, max) => [span > 0 ? Math.min(min, max - span) : min, max] },
      y: { range: (_plot, _min, max) => [0, Math.max(1, (max ?? 0) * HEADROOM)] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        incrs: TIME_STEPS,
        values: (_plot, splits) => splits.map((at) => hour.format(at * 1_000)),
      },
      {
        ...axis,
        size: AXIS_SIZE,
        space: 28,
        incrs: STEPS,
        values: (_plot, splits) => splits.map((value) => value.toLocaleString('en', { notation: 'compact' })),
      },
    ],
    series: [
      {},
      ...drawn.map(({ series: { label, color, isFilled = false, isLimit = false } }): UPlot.Series => {
        const stroke = resolved(`var(${color})`);
        return {
          label,
          stroke,
          width: isLimit ? 1 : 1.5,
          ...(isLimit && { dash: [5, 4] }),
          points: { show: false },
          ...(isFilled && {
            fill: resolved(`color-mix(in srgb, var(${color}) ${FILL_SHARE}, transparent)`),
          }),
          ...(isStacked && bars !== undefined && { paths: bars, fill: stroke, width: 0 }),
        };
      }),
    ],
    hooks: { setCursor: [onCursor] },
  };
}
