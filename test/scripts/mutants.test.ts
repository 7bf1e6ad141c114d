import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tap, { test, type Test } from 'tap';
import type { Mutant } from '../mutants/mutant.ts';

tap.setTimeout(120_000);

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const RUNNER = join(ROOT, 'scripts/mutants/run-mutants.js');

const FILE = 'src/core/duration.ts';
const TEST = 'test/core/config/duration.test.ts';

const mutant = (name: string, from: string, to: string, some: Partial<Mutant> = {}): Mutant => ({
  name,
  file: FILE,
  from,
  to,
  tests: [TEST],
  ...some,
});

/** Runs the mutants of a table that is created for it. */
function run(
  t: Test,
  mutants: readonly Mutant[],
): { readonly status: number | null; readonly output: string } {
  const folder = t.testdir({ 'table.mjs': `export const MUTANTS = ${JSON.stringify(mutants)};` });
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [RUNNER, '--table', join(folder, 'table.mjs'), '--jobs', '2'],
    { cwd: ROOT, encoding: 'utf8' },
  );
  return { status, output: stdout + stderr };
}

const KILLED = mutant('a second has a hundred milliseconds', 's: 1_000', 's: 100');
const SURVIVOR = mutant('the largest unit comes last in the code', 'ms: 1, s: 1_000', 's: 1_000, ms: 1');

test('the score counts mutants that a test finds, and lists the others', (t) => {
  const { status, output } = run(t, [KILLED, SURVIVOR]);
  t.match(output, /killed a second has a hundred milliseconds: test\/core\/config\/duration\.test\.ts: /);
  t.match(output, /^all +1 of +2 killed, 50 %$/m);
  t.match(output, /^survived: the largest unit comes last in the code \(src\/core\/duration\.ts\)$/m);
  t.equal(status, 1, 'below the target');
  const all = run(t, [KILLED]);
  t.match(all.output, /^all +1 of +1 killed, 100 %$/m);
  t.equal(all.status, 0);
  t.end();
});

test('a stale mutant, and one that no test loads, end the run', (t) => {
  t.match(run(t, [KILLED, mutant('old', 'no such text', '')]), {
    status: 1,
    output: /stale mutant: old\n/,
  });
  t.match(
    run(t, [mutant('elsewhere', KILLED.from, KILLED.to, { tests: ['test/core/metrics/buckets.test.ts'] })]),
    {
      status: 1,
      output: /No test of the mutant “elsewhere” loads src\/core\/duration\.ts\./,
    },
  );
  t.end();
});
