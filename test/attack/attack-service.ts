import { parseArgs } from 'node:util';
import { saveResult } from '../../bench/kit/results.ts';
import type { AttackResult } from './attack.ts';
import { ATTACK_ROWS } from './rows.ts';
import { byNumber, savedRows, type SavedRow } from './saved-rows.ts';

/**
 * Attacks running services with every table of bad inputs (docs/security.md), and prints a line for each. A run of some rows keeps
 * the saved results of the others.
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

const results: (AttackResult & {
  readonly id: string;
  readonly title: string;
  readonly at: string;
  readonly seconds: number;
})[] = [];
for (const { id, title, full, run } of ATTACK_ROWS) {
  if (wanted !== null && !wanted.includes(id)) continue;
  const startedAt = performance.now();
  const result = await run(Math.max(1, Math.round(full * share)));
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  results.push({ id, title, at: new Date().toISOString(), seconds, ...result });
  if (!values.json) print(id, title, result);
}
const kept = wanted === null ? [] : savedRows().filter(({ id }) => !wanted.includes(id));
const [tried, violations] = totalsOf(results);
const rows = [...kept, ...results].sort(byNumber);
const [triedInAll, violationsInAll] = totalsOf(rows);
saveResult('attack', { share, tried: triedInAll, violations: violationsInAll, rows });
process.stdout.write(
  values.json ? `${JSON.stringify(results)}\n` : `\n${tried} bad inputs tried, ${violations} violations\n`,
);
process.exitCode = violations === 0 ? 0 : 1;

/** Returns the numbers of inputs and of violations. */
function totalsOf(
  rows: readonly Pick<SavedRow, 'tried' | 'violations'>[],
): readonly [tried: number, violations: number] {
  return [
    rows.reduce((sum, row) => sum + row.tried, 0),
    rows.reduce((sum, row) => sum + row.violations.length, 0),
  ];
}

function print(
  id: string,
  title: string,
  { tried: count, violations: found, figures = {} }: AttackResult,
): void {
  const notes = Object.entries(figures).map(([name, value]) => `, ${name}: ${value}`);
  process.stdout.write(`${id} ${title}: ${count} tried, ${found.length} violations${notes.join('')}\n`);
  for (const line of found.slice(0, 20)) process.stdout.write(`  VIOLATION ${line}\n`);
}
