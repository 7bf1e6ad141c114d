import { parseArgs } from 'node:util';
import { saveResult } from '../../bench/kit/results.ts';
import type { AttackResult } from './attack.ts';
import { ATTACK_ROWS } from './rows.ts';

/**
 * Attacks running services with every table of bad inputs (docs/security.md), and prints a line for each.
 *
 * npm run attack [-- --rows T8,T9] [--share 0.1] [--json]
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '' },
    share: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});

const share = Number(values.share);
const wanted = values.rows === '' ? null : values.rows.split(',');
const unknown = (wanted ?? []).filter((id) => !ATTACK_ROWS.some((row) => row.id === id));
if (unknown.length > 0)
  throw new Error(
    `--rows: no row ${unknown.join(', ')}; there are ${ATTACK_ROWS.map(({ id }) => id).join(', ')}`,
  );
if (!(share > 0 && share <= 1)) throw new Error('--share must be above 0 and at most 1');

const results: (AttackResult & { readonly id: string; readonly title: string; readonly seconds: number })[] =
  [];
for (const { id, title, full, run } of ATTACK_ROWS) {
  if (wanted !== null && !wanted.includes(id)) continue;
  const startedAt = performance.now();
  const result = await run(Math.max(1, Math.round(full * share)));
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  results.push({ id, title, seconds, ...result });
  if (!values.json) print(id, title, result);
}
const tried = results.reduce((sum, result) => sum + result.tried, 0);
const violations = results.reduce((sum, result) => sum + result.violations.length, 0);
saveResult('attack', { share, tried, violations, rows: results });
process.stdout.write(
  values.json ? `${JSON.stringify(results)}\n` : `\n${tried} bad inputs tried, ${violations} violations\n`,
);
process.exitCode = violations === 0 ? 0 : 1;

function print(
  id: string,
  title: string,
  { tried: count, violations: found, figures = {} }: AttackResult,
): void {
  const notes = Object.entries(figures).map(([name, value]) => `, ${name}: ${value}`);
  process.stdout.write(`${id} ${title}: ${count} tried, ${found.length} violations${notes.join('')}\n`);
  for (const line of found.slice(0, 20)) process.stdout.write(`  VIOLATION ${line}\n`);
}
