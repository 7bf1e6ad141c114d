import { parseArgs } from 'node:util';
import { saveResult } from '../../bench/kit/results.ts';
import { FULL, SHORT } from './plans.ts';
import { ROWS, type Figures, type RowName, type RowResult } from './row.ts';

/**
 * Injects faults into real workers and measures the effects (docs/faults.md).
 *
 * npm run faults [-- --rows F9,F12] [--count N] [--mib N] [--short] [--json]
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: ROWS.join(',') },
    count: { type: 'string', default: '1' },
    mib: { type: 'string', default: '2048' },
    short: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

const isRow = (name: string): name is RowName => ROWS.some((row) => row === name);
const rows = values.rows.split(',');
const rounds = Number(values.count);
const mib = Number(values.mib);
if (!rows.every(isRow)) throw new Error(`unknown row; use some of: ${ROWS.join(', ')}`);
if (!Number.isInteger(rounds) || rounds < 1)
  throw new Error('--count must be 1 or more: how often each fault is injected');
if (!Number.isInteger(mib) || mib < 1)
  throw new Error('--mib must be 1 or more: the output of each task of a flood');

const plans = values.short ? SHORT : FULL;
const results: RowResult[] = [];
for (const row of rows) {
  const result = await plans[row]({ rounds, mib });
  results.push(result);
  if (!values.json) print(result);
}
saveResult('faults', { rounds, mib, short: values.short, rows: results });
if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`);
process.exitCode = results.every(({ violations }) => violations.length === 0) ? 0 : 1;

function print({ row, title, means, lines, violations }: RowResult): void {
  process.stdout.write(`\n${row}: ${title} (${means})\n`);
  for (const line of lines) process.stdout.write(`  ${textOf(line)}\n`);
  for (const violation of violations) process.stdout.write(`  FORBIDDEN: ${violation}\n`);
}

function textOf(figures: Figures): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ');
}
