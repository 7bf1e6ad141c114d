/**
 * `npm run check`: runs every check, so that one run shows all errors. The format is checked during the build, and the
 * others two at a time.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { install } from './bootstrap.js';
import { build } from './build.js';
import { capture, root, runMain } from './run.js';

const bin = (path) => join(root, 'node_modules', path);
const CACHE = join(root, 'dist/.cache');

const FORMAT = [
  bin('prettier/bin/prettier.cjs'),
  '--check',
  '--log-level=warn',
  '--cache',
  '--cache-strategy=content',
  `--cache-location=${join(CACHE, 'prettier.json')}`,
  '.',
];
const IMPORT_RULES = [
  bin('dependency-cruiser/bin/dependency-cruise.mjs'),
  ...['--config', '.dependency-cruiser.js', '--output-type', 'err-long', '--no-progress'],
  ...['src', 'actors', 'http', 'client', 'daemons', 'cli', 'web', 'bench', 'test', 'scripts'],
];
const UNUSED_CODE = [bin('knip/bin/knip.js'), '--no-progress'];
const GENERATED_FILES = [join(root, 'scripts/generate.js'), '--check'];

/** A young generation of this size, in MiB: ESLint and TypeScript make so many objects that a small one is copied too often. */
const YOUNG_MIB = 128;

function lint() {
  return [
    `--max-semi-space-size=${YOUNG_MIB}`,
    bin('eslint/bin/eslint.js'),
    '--max-warnings=0',
    '--cache',
    '--cache-strategy=content',
    `--cache-location=${lintCache()}`,
    '.',
  ];
}

/**
 * Returns the cache file of ESLint, and removes those of other builds. ESLint takes a result from the cache if the file itself
 * is the same, but rules that use types depend on the types of other files too. So each set of types has its own cache.
 */
function lintCache() {
  const { references } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  const types = readdirSync(join(root, 'dist'), { recursive: true }).filter((name) => name.endsWith('.d.ts'));
  const inputs = [
    'package-lock.json',
    'tsconfig.base.json',
    'tsconfig.eslint.json',
    ...references.map(({ path }) => join(path, 'tsconfig.json')),
    ...types.sort().map((name) => join('dist', name)),
  ];
  const hash = createHash('sha256');
  for (const name of inputs) hash.update(name).update(readFileSync(join(root, name)));
  const current = `eslint-${hash.digest('hex').slice(0, 16)}.json`;
  const others = existsSync(CACHE) ? readdirSync(CACHE).filter((name) => name.startsWith('eslint-')) : [];
  for (const name of others) if (name !== current) rmSync(join(CACHE, name));
  return join(CACHE, current);
}

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
      check('lint', lint()),
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
