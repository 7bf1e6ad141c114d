import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { saveResult } from '../../bench/kit/results.ts';
import { missingPrograms, readCases } from './harness/case-file.ts';
import { PresetFarm } from './harness/preset-farm.ts';
import { runCase, type CaseResult } from './harness/run-case.ts';

/**
 * Runs presets with their real programs through a service and a worker, checks the files, and prints the seconds
 * (docs/presets.md#figures).
 *
 * npm run presets -- --real [--only povray/render,files/copy]
 */
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const wanted = values.only === '' ? null : values.only.split(',');
const all = readCases();
const unknown = (wanted ?? []).filter((name) => !all.some(({ preset }) => preset === name));
if (unknown.length > 0) {
  throw new Error(
    `--only: no case for ${unknown.join(', ')}; there are ${all.map(({ preset }) => preset).join(', ')}`,
  );
}
const cases = all.filter(({ preset }) => wanted?.includes(preset) ?? true);
const folder = mkdtempSync(join(tmpdir(), 'callsheet-presets-'));
const results: CaseResult[] = [];
let skipped = 0;
try {
  const farm = await PresetFarm.start(folder, cases);
  try {
    for (const each of cases) {
      const missing = missingPrograms(each);
      if (missing.length > 0) {
        skipped += 1;
        process.stdout.write(`${each.preset.padEnd(26)} skipped: no ${missing.join(', ')}\n`);
        continue;
      }
      const result = await runCase(farm, folder, each);
      results.push(result);
      print(result);
    }
  } finally {
    await farm.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const failures = results.filter(({ problems }) => problems.length > 0).length;
saveResult('presets', { skipped, failures, presets: results });
process.stdout.write(`\n${results.length} presets ran, ${failures} with problems, ${skipped} skipped\n`);
process.exitCode = failures === 0 ? 0 : 1;

function print({ preset, tasks, seconds, problems }: CaseResult): void {
  const text = `${preset.padEnd(26)} ${String(tasks).padStart(4)} tasks ${seconds.toFixed(1).padStart(7)} s`;
  process.stdout.write(`${text}${problems.length === 0 ? '' : '  WRONG'}\n`);
  for (const problem of problems) process.stdout.write(`  ${problem}\n`);
}
