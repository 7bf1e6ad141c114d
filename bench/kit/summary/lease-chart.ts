import { numberAt, valueAt } from './value-at.ts';

/** A point of a line: number of workers and rate per second. */
export interface ChartPoint {
  readonly workers: number;
  readonly perSecond: number;
}

export interface ChartLine {
  readonly name: string;
  /** Style in the chart: `echo`, `disk`, `leases` or `cycles`. */
  readonly style: 'echo' | 'disk' | 'leases' | 'cycles';
  readonly points: readonly ChartPoint[];
}

const WIDTH = 760;
const HEIGHT = 440;
const PLOT = { left: 78, right: 590, top: 64, bottom: 372 } as const;
const LABEL_APART = 17;
const DOT = 4;

/**
 * Returns the lines of `bench/lease` for workers of one core and jobs of one size. Lines with one point are omitted.
 */
export function leaseLines(figures: unknown): readonly ChartLine[] {
  const listed = valueAt(figures, 'cases');
  const cases: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const plain = cases.filter(
    (each) =>
      numberAt(each, 'cores') === 1 &&
      numberAt(each, 'tasks') === 100_000 &&
      numberAt(each, 'jobs') === 1 &&
      valueAt(each, 'reports') === 'ride', // wording-ok: value of --reports
  );
  const line = (name: string, style: ChartLine['style'], path: string): ChartLine => ({
    name,
    style,
    points: plain
      .flatMap((each) => {
        const workers = numberAt(each, 'workers');
        const perSecond = numberAt(each, path);
        return workers === null || perSecond === null || perSecond <= 0 ? [] : [{ workers, perSecond }];
      })
      .sort((a, b) => a.workers - b.workers),
  });
  return [
    line('bare echo', 'echo', 'echo.per_second'),
    line('disk alone', 'disk', 'disk.cycles_per_second'),
    line('leases', 'leases', 'leases_per_second'),
    line('full cycles', 'cycles', 'cycles_per_second'),
  ].filter(({ points }) => points.length > 1);
}

/** Both axes are logarithmic: equal distances are equal ratios. Readable on a light and on a dark page. */
export function leaseChart(lines: readonly ChartLine[]): string {
  const all = lines.flatMap(({ points }) => points);
  if (all.length === 0) throw new Error('there is nothing to draw');
  const workers = [...new Set(all.map((point) => point.workers))].sort((a, b) => a - b);
  const rates = all.map(({ perSecond }) => perSecond);
  const x = scale([workers[0] ?? 1, Math.max(2, workers.at(-1) ?? 1)], [PLOT.left + 12, PLOT.right - 12]);
  const decades = [decadeBelow(Math.min(...rates)), decadeAbove(Math.max(...rates))] as const;
  const y = scale(decades, [PLOT.bottom, PLOT.top]);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title">`,
    '<title id="title">Durable leases and full cycles a second by number of workers, with the ceilings of bus and disk</title>',
    STYLE,
    `<rect class="page" width="${WIDTH}" height="${HEIGHT}"/>`,
    '<text class="head" x="20" y="28">Leases and full cycles a second, by workers</text>',
    '<text class="note" x="20" y="47">Counted after the flush; both axes logarithmic, so equal distances are equal ratios</text>',
    ...rateAxis(decades, y),
    ...workers.map(
      (count) =>
        `<text class="tick" x="${at(x(count))}" y="${PLOT.bottom + 20}" text-anchor="middle">${count.toLocaleString('en-US')}</text>`,
    ),
    `<text class="note" x="${(PLOT.left + PLOT.right) / 2}" y="${PLOT.bottom + 42}" text-anchor="middle">workers of one core, each with a connection of its own</text>`,
    ...lines.map((line) => drawn(line, x, y)),
    ...endLabels(lines, y),
    '</svg>',
    '',
  ];
  return parts.join('\n');
}

const STYLE = `<style>
  svg { --page: #ffffff; --text: #1f2328; --soft: #59636e; --grid: #d8dee4; --leases: #0b62c4; --cycles: #b45309; --ceiling: #6b7280; }
  @media (prefers-color-scheme: dark) { svg { --page: #0d1117; --text: #e6edf3; --soft: #9198a1; --grid: #2a313c; --leases: #6cb2ff; --cycles: #f0a44b; --ceiling: #a3abb5; } }
  .page { fill: var(--page); }
  text { font: 13px system-ui, sans-serif; fill: var(--text); }
  .head { font-size: 16px; font-weight: 600; }
  .note, .tick { fill: var(--soft); font-size: 12px; }
  .value { font-size: 11px; fill: var(--leases); }
  .grid { stroke: var(--grid); stroke-width: 1; }
  polyline { fill: none; stroke-width: 2.5; stroke-linejoin: round; }
  .leases { stroke: var(--leases); } .cycles { stroke: var(--cycles); } .echo, .disk { stroke: var(--ceiling); }
  polyline.echo { stroke-dasharray: 7 5; } polyline.disk { stroke-dasharray: 2 4; }
  polyline.cycles { stroke-width: 1.5; }
  circle { fill: var(--page); stroke-width: 2; }
  circle.leases { fill: var(--leases); }
  .label.leases { fill: var(--leases); stroke: none; font-weight: 600; } .label.cycles { fill: var(--cycles); stroke: none; font-weight: 600; }
  .label.echo, .label.disk { fill: var(--soft); stroke: none; }
</style>`;

type Scale = (value: number) => number;

/** Logarithmic scale. */
function scale([from, to]: readonly [number, number], [low, high]: readonly [number, number]): Scale {
  const width = Math.log(to) - Math.log(from);
  return (value) => low + ((Math.log(value) - Math.log(from)) / width) * (high - low);
}

const decadeBelow = (value: number): number => 10 ** Math.floor(Math.log10(value));
const decadeAbove = (value: number): number => {
  const decade = 10 ** Math.ceil(Math.log10(value));
  return decade === decadeBelow(value) ? decade * 10 : decade;
};

function rateAxis([from, to]: readonly [number, number], y: Scale): string[] {
  const parts: string[] = [];
  for (let decade = from; decade <= to; decade *= 10) {
    const height = at(y(decade));
    parts.push(
      `<line class="grid" x1="${PLOT.left}" x2="${PLOT.right}" y1="${height}" y2="${height}"/>`,
      `<text class="tick" x="${PLOT.left - 8}" y="${at(y(decade) + 4)}" text-anchor="end">${decade.toLocaleString('en-US')}</text>`,
    );
  }
  return parts;
}

function drawn({ style, points }: ChartLine, x: Scale, y: Scale): string {
  const places = points.map(({ workers, perSecond }) => ({
    left: at(x(workers)),
    top: at(y(perSecond)),
    below: at(y(perSecond) + 20),
    perSecond,
  }));
  const line = `<polyline class="${style}" points="${places.map(({ left, top }) => `${left},${top}`).join(' ')}"/>`;
  const dots = places.map(
    ({ left, top }) =>
      `<circle class="${style}" cx="${left}" cy="${top}" r="${style === 'cycles' ? DOT - 1.5 : DOT}"/>`,
  );
  const values =
    style === 'leases'
      ? // The last value is shown next to the name.
        places
          .slice(0, -1)
          .map(
            ({ left, below, perSecond }) =>
              `<text class="value" x="${left}" y="${below}" text-anchor="middle">${perSecond.toLocaleString('en-US')}</text>`,
          )
      : [];
  return [line, ...dots, ...values].join('\n');
}

/** Names next to the last points, moved apart if they would overlap. */
function endLabels(lines: readonly ChartLine[], y: Scale): string[] {
  const labels = lines
    .map(({ name, style, points }) => ({ name, style, last: points.at(-1)?.perSecond ?? 1 }))
    .sort((a, b) => b.last - a.last);
  let lowest = -Infinity;
  return labels.map(({ name, style, last }) => {
    lowest = Math.max(y(last) + 4, lowest + LABEL_APART);
    return `<text class="label ${style}" x="${PLOT.right + 8}" y="${at(lowest)}">${name} ${last.toLocaleString('en-US')}</text>`;
  });
}

const at = (value: number): string => String(Math.round(value * 10) / 10);
