/** `npm run check`: the one gate. Runs every check, so that one run shows all that is wrong. */
import { join } from 'node:path';
import { bootstrap } from './bootstrap.js';
import { root, run, runMain } from './run.js';

const bin = (path) => join(root, 'node_modules', path);

const CHECKS = [
  ['format', bin('prettier/bin/prettier.cjs'), '--check', '--log-level=warn', '.'],
  ['lint', bin('eslint/bin/eslint.js'), '--max-warnings=0', '.'],
  [
    'import rules',
    bin('dependency-cruiser/bin/dependency-cruise.mjs'),
    ...['--config', '.dependency-cruiser.js', '--output-type', 'err-long', '--no-progress'],
    ...['src', 'actors', 'http', 'client', 'daemons', 'cli', 'web', 'bench', 'test', 'scripts'],
  ],
  ['unused code', bin('knip/bin/knip.js'), '--no-progress'],
  ['generated files', join(root, 'scripts/generate.js'), '--check'],
];

await runMain(async () => {
  const env = await bootstrap({ bus: false });
  const failed = [];
  for (const [name, ...command] of CHECKS) {
    console.log(`check: ${name}`);
    if ((await run(process.execPath, command, { env })) !== 0) failed.push(name);
  }
  console.log(failed.length === 0 ? 'check: all good' : `check: failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
});
