/**
 * `npm test [-- FILE or OPTION of tap]...`: makes the repository ready, runs the compiled tests (.taprc), and says at the
 * very end in one plain line how many passed. The exit status is tap's.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bootstrap } from './bootstrap.js';
import { root, run, runMain } from './run.js';

const tap = join(root, 'node_modules/tap/dist/esm/run.mjs');
const record = join(root, '.tap/last-run.tap');

/** tap closes its record with `# { total: 12, pass: 11, fail: 1 }`, where zero counts are left out. */
function totals() {
  const closing = existsSync(record)
    ? [...readFileSync(record, 'utf8').matchAll(/^# \{ (total: .*) \}$/gm)].at(-1)?.[1]
    : undefined;
  const count = (name) => Number(new RegExp(`\\b${name}: ([0-9]+)`).exec(closing ?? '')?.[1] ?? 0);
  return {
    known: closing !== undefined,
    passed: count('pass'),
    failed: count('fail'),
    skipped: count('skip'),
  };
}

await runMain(async () => {
  const env = await bootstrap({ browser: true });
  mkdirSync(dirname(record), { recursive: true });
  rmSync(record, { force: true });
  // The reporter of .taprc repaints the screen: without one, only what fails is told.
  const reporter = process.stdout.isTTY ? [] : ['--reporter=min'];
  const args = [tap, 'run', `--output-file=${record}`, ...reporter, ...process.argv.slice(2)];
  const status = await run(process.execPath, args, { env });
  // The reporter may leave the cursor in the middle of a line.
  console.log('');
  const { known, passed, failed, skipped } = totals();
  if (!known) console.log('The run ended before its totals were known.');
  // A run that broke without a failed assertion must not read like success.
  const counted = status !== 0 && failed === 0 ? 1 : failed;
  console.log(`${passed} passed, ${counted} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return status;
});
