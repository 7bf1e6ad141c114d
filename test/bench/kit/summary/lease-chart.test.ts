import fc from 'fast-check';
import { test } from 'tap';
import { leaseChart, leaseLines, type ChartLine } from '../../../../bench/kit/summary/lease-chart.ts';

const measured = (workers: number, rate: number, other: object = {}): object => ({
  workers,
  cores: 1,
  tasks: 100_000,
  jobs: 1,
  reports: 'ride', // wording-ok: value of --reports
  echo: { per_second: 4 * rate },
  disk: null,
  leases_per_second: rate,
  cycles_per_second: rate - 1,
  ...other,
});

test('selects cases that differ only in their workers, in order, and lines of at least two points', async (t) => {
  const figures = {
    cases: [
      measured(256, 8_000, { disk: { cycles_per_second: 9_000 } }),
      measured(1, 500),
      measured(256, 99, { cores: 64 }),
      measured(256, 99, { tasks: 1_000 }),
      measured(256, 99, { jobs: 10_000 }),
      measured(256, 99, { reports: 'stream' }),
    ],
  };
  const points = (one: number, many: number): ChartLine['points'] => [
    { workers: 1, perSecond: one },
    { workers: 256, perSecond: many },
  ];
  t.same(leaseLines(figures), [
    { name: 'bare echo', style: 'echo', points: points(2_000, 32_000) },
    { name: 'leases', style: 'leases', points: points(500, 8_000) },
    { name: 'full cycles', style: 'cycles', points: points(499, 7_999) },
  ]);
});

test('has no lines without results', async (t) => {
  for (const figures of [undefined, {}, { cases: 3 }, { cases: [null, {}] }]) t.same(leaseLines(figures), []);
  t.throws(() => leaseChart([]), /nothing to draw/);
});

const points = fc
  .uniqueArray(
    fc.record({
      workers: fc.integer({ min: 1, max: 10_000 }),
      perSecond: fc.integer({ min: 1, max: 5_000_000 }),
    }),
    {
      minLength: 1,
      maxLength: 6,
      selector: ({ workers }) => workers,
    },
  )
  .map((all) => all.sort((a, b) => a.workers - b.workers));

const lines = fc.tuple(points, points, points).map(([echo, leases, cycles]): ChartLine[] => [
  { name: 'bare echo', style: 'echo', points: echo },
  { name: 'leases', style: 'leases', points: leases },
  { name: 'full cycles', style: 'cycles', points: cycles },
]);

test('draws each point inside the chart, and larger rates higher', async () => {
  fc.assert(
    fc.property(lines, (all) => {
      const svg = leaseChart(all);
      const places = [...svg.matchAll(/<circle class="\w+" cx="([\d.-]+)" cy="([\d.-]+)"/g)].map((match) => ({
        x: Number(match[1]),
        y: Number(match[2]),
      }));
      const given = all.flatMap((line) => line.points);
      return (
        places.length === given.length &&
        places.every(({ x, y }) => x >= 78 && x <= 590 && y >= 64 && y <= 372) &&
        given.every((one, i) =>
          given.every((other, j) => {
            const [a, b] = [places[i], places[j]];
            return a !== undefined && b !== undefined && (one.perSecond <= other.perSecond || a.y <= b.y);
          }),
        )
      );
    }),
  );
});

test('keeps the labels at the ends of lines apart', async () => {
  fc.assert(
    fc.property(lines, (all) => {
      const heights = [...leaseChart(all).matchAll(/<text class="label \w+" x="598" y="([\d.-]+)"/g)]
        .map((match) => Number(match[1]))
        .sort((a, b) => a - b);
      return (
        heights.length === all.length &&
        heights.every((height, index) => index === 0 || height - (heights[index - 1] ?? 0) >= 16.9)
      );
    }),
  );
});

test('uses the colors of its page', async (t) => {
  const svg = leaseChart(leaseLines({ cases: [measured(1, 500), measured(256, 8_000)] }));
  t.match(svg, /prefers-color-scheme: dark/);
  const outside = svg.replace(/<style>[^]*<\/style>/, '');
  t.notMatch(outside, /#[0-9a-f]{6}|fill=|stroke=/, 'colors come only from the style sheet');
  const used = new Set(
    [...outside.matchAll(/class="([\w ]+)"/g)].flatMap((match) => (match[1] ?? '').split(' ')),
  );
  const style = /<style>([^]*)<\/style>/.exec(svg)?.[1] ?? '';
  t.same(
    [...used].filter((name) => !style.includes(`.${name}`)),
    [],
    'each class has a style',
  );
});
