/**
 * `npm run check`: runs every check, so that one run shows all errors. The format is checked during the build, and the
 * others two at a time.
 */
import { join } from 'node:path';
import { install } from './bootstrap.js';
import { build } from './build.js';
import { capture, root, runMain } from './run.js';

const bin = (path) => join(root, 'node_modules', path);

const FORMAT = [bin('oxfmt/bin/oxfmt'), '--list-different', '.'];
const IMPORT_RULES = [
  bin('dependency-cruiser/bin/dependency-cruise.mjs'),
  ...['--config', '.dependency-cruiser.js', '--output-type', 'err-long', '--no-progress'],
  ...['src', 'actors', 'http', 'client', 'daemons', 'cli', 'web', 'bench', 'test', 'scripts'],
];
const UNUSED_CODE = [bin('knip/bin/knip.js'), '--no-progress'];
const GENERATED_FILES = [join(root, 'scripts/generate.js'), '--check'];

const LINT = [bin('oxlint/bin/oxlint'), '--config=oxlint.config.js', '--tsconfig=tsconfig.lint.json'];

await runMain(async () => {
  const env = await install({ bus: false });
  const failed = [];
  const check = async (name, command) => {
    const { status, output } = await capture(process.execPath, command, { env });
    console.log(`check: ${name}: ${status === 0 ? 'good' : 'failed'}`);
    if (output.trim() !== '') console.log(output.trimEnd());
    if (status !== 0) failed.push(name);
  };
  const format = check('format', FORMAT);
  try {
    await build();
    await Promise.all([
      check('lint', LINT),
      check('import rules', IMPORT_RULES)
        .then(() => check('unused code', UNUSED_CODE))
        .then(() => check('generated files', GENERATED_FILES)),
    ]);
  } finally {
    await format;
  }
  console.log(failed.length === 0 ? 'check: all good' : `check: failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
});
