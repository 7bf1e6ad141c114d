import { readdirSync } from 'node:fs';
import { test } from 'tap';
import type { RowSpec } from '../../../../bench/kit/summary/row-spec.ts';
import { ROWS } from '../../../../bench/kit/summary/rows.ts';
import { SHORT_RUNS } from '../../../../bench/kit/summary/short-runs.ts';
import { summarize, summaryPage, type KeptResult } from '../../../../bench/kit/summary/summary.ts';
import { numberAt, valueAt } from '../../../../bench/kit/summary/value-at.ts';
import { packageRoot } from '../../../../src/adapters/system/package-root.ts';

const figures = {
  rate: 40,
  none: null,
  cases: [
    { workers: 1, cores: 1, echo: { rate: 10 } },
    { workers: 256, cores: 64, echo: { rate: 20 } },
    { workers: 256, cores: 1, echo: { rate: 30 } },
  ],
};

test('a path yields a value, or nothing', async (t) => {
  t.equal(valueAt(figures, 'rate'), 40);
  t.equal(valueAt(figures, 'cases[workers=256].echo.rate'), 20, 'the first match');
  t.equal(valueAt(figures, 'cases[workers=256,cores=1].echo.rate'), 30);
  t.equal(valueAt(figures.cases, '[workers=1].echo.rate'), 10);
  t.equal(valueAt([{ name: '1,000 steps', ms: 3 }], '[name=1,000 steps].ms'), 3, 'a comma in a value');
  t.equal(valueAt(figures, 'cases[workers=2].echo.rate'), undefined);
  t.equal(valueAt(figures, 'rate[workers=2]'), undefined);
  t.equal(valueAt(figures, 'none.more'), undefined);
  t.equal(valueAt(figures, 'toString'), undefined, 'only measured values');
  t.equal(valueAt(undefined, 'rate'), undefined);
  t.throws(() => valueAt(figures, 'cases[workers'), /is not a path/);
  t.equal(numberAt(figures, 'cases'), null);
  t.equal(numberAt(figures, 'none'), null);
});

const machine = { cores: 2, cpu: 'a cpu', node: 'v20' };
const kept = (bench: string, measured: unknown): [string, KeptResult] => [
  bench,
  { bench, at: '2026-11-21T00:00:00Z', commit: 'abc', machine, options: ['--short'], figures: measured },
];

const spec = (more: Partial<RowSpec>): RowSpec => ({
  bench: 'a',
  figure: 'f',
  value: 'rate',
  unit: '/s',
  ...more,
});

test('a target is met by the value or by the ratio, as specified', async (t) => {
  const results = new Map([kept('a', { rate: 40, echo: 100, p99: 7, share: 0.25 })]);
  const specs = [
    spec({}),
    spec({
      yardstick: { name: 'echo', value: 'echo' },
      target: { of: 'ratio', is: 'at least', number: 0.4 },
    }),
    spec({
      yardstick: { name: 'echo', value: 'echo' },
      target: { of: 'ratio', is: 'at least', number: 0.41 },
    }),
    spec({ yardstick: { name: 'b' }, ratio: 'share', target: { of: 'ratio', is: 'at most', number: 0.2 } }),
    spec({ value: 'p99', unit: 'ms', target: { of: 'value', is: 'at most', number: 7 } }),
    spec({ yardstick: { name: 'gone', value: 'gone' }, target: { of: 'ratio', is: 'at least', number: 1 } }),
    spec({ value: 'gone' }),
    spec({ bench: 'b' }),
  ];
  const { rows, missing } = summarize(specs, results);
  t.same(
    rows.map(({ value, ratio, isMet }) => ({ value, ratio, isMet })),
    [
      { value: 40, ratio: null, isMet: null },
      { value: 40, ratio: 0.4, isMet: true },
      { value: 40, ratio: 0.4, isMet: false },
      { value: 40, ratio: 0.25, isMet: false },
      { value: 7, ratio: null, isMet: true },
      { value: 40, ratio: null, isMet: null },
    ],
  );
  t.same(missing, specs.slice(6));
});

test('a row uses the results that it names, or those of its bench', async (t) => {
  const results = new Map([kept('a', { rate: 40 }), kept('a-slow', { rate: 4 })]);
  const specs = [spec({}), spec({ results: 'a-slow' }), spec({ results: 'a-slower' })];
  const { rows, missing } = summarize(specs, results);
  t.same(
    rows.map(({ bench, value }) => ({ bench, value })),
    [
      { bench: 'a', value: 40 },
      { bench: 'a', value: 4 },
    ],
  );
  t.same(missing, specs.slice(2));
});

test('the page shows results, targets and missing values', async (t) => {
  const results = new Map([kept('a', { rate: 41_234.5, echo: 100_000, p99: 71.26 })]);
  const { rows } = summarize(
    [
      spec({
        figure: 'leases',
        yardstick: { name: 'echo', value: 'echo' },
        target: { of: 'ratio', is: 'at least', number: 0.4 },
      }),
      spec({ figure: 'p99', value: 'p99', unit: 'ms', target: { of: 'value', is: 'at most', number: 60 } }),
    ],
    results,
  );
  const page = summaryPage(rows, ['`b` was left out: it needs c'], results, 'lease.svg');
  const lines = page.split('\n');
  t.ok(lines.includes('| `a` | leases | 41,235 /s | echo | 100,000 /s | 0.412 | at least 0.4 | yes |'), page);
  t.ok(lines.includes('| `a` | p99 | 71.3 ms |  |  |  | at most 60 ms | **no** |'), page);
  t.ok(lines.includes('- `b` was left out: it needs c'));
  t.match(page, '](lease.svg)');
  t.notMatch(summaryPage(rows, [], results, null), /lease\.svg|Without figures/);
  t.ok(lines.includes('| a | 2026-11-21T00:00:00Z | abc | `--short` | 2 cores, a cpu, Node v20 |'));
});

test('every bench has a short version, and every row a bench', async (t) => {
  const benches = readdirSync(new URL('bench/', packageRoot))
    .flatMap((file) => /^([a-z-]+)\.ts$/.exec(file)?.[1] ?? [])
    .filter((bench) => bench !== 'all');
  const short = SHORT_RUNS.map(({ bench }) => bench);
  t.same(
    benches.filter((bench) => !short.includes(bench)),
    [],
    'bench/kit/summary/short-runs.ts specifies the short version of each bench',
  );
  t.same(
    [...new Set(ROWS.map(({ bench }) => bench))].filter((bench) => !short.includes(bench)),
    [],
  );
});
