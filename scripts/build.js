/**
 * Compiles the sources to dist/, bundles the command to dist/program/ and the web application to dist/web-app/, and
 * removes compiled files without a source. Needs the packages.
 */
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleProgram } from './bundle-program.js';
import { withLock } from './lock.js';
import { Stop, root, run, runMain } from './run.js';

const COMPILED = /\.(js|js\.map|d\.ts)$/;
const PROGRAM = join(root, 'dist/program');
const WEB = join(root, 'web');
const WEB_APP = join(root, 'dist/web-app');
/** The stamp of the bundle's inputs. It is next to the bundle, not in it. */
const WEB_STAMP = join(root, 'dist/web-app.stamp');

function removeOrphans() {
  const dist = join(root, 'dist');
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !COMPILED.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    if (file.startsWith(WEB_APP) || file.startsWith(PROGRAM)) continue;
    const source = join(root, relative(dist, file).replace(COMPILED, '.ts'));
    if (!existsSync(source) && !existsSync(`${source}x`)) rmSync(file);
  }
}

/** Compiles and bundles. Takes a second if nothing has changed, and then does not change dist. */
export function build() {
  return withLock(join(root, 'dist/.build-lock'), buildAlone);
}

async function buildAlone() {
  const compiler = join(root, 'node_modules/typescript-native/bin/tsc');
  const status = await run(process.execPath, [compiler, '-b']);
  if (status !== 0) throw new Stop('The sources do not compile: see above.');
  removeOrphans();
  await parseApiDocument();
  await writeTemplateSchema();
  await bundleProgram(PROGRAM, compilerRecords());
  await bundleWebApp();
  stamp();
}

/** Writes the JSON Schema of templates, which the package exports. */
async function writeTemplateSchema() {
  const compiled = join(root, 'dist/src/openjd/template/schema/template-schema.js');
  const { templateSchema } = await import(pathToFileURL(compiled).href);
  const text = `${JSON.stringify(templateSchema(), null, 2)}\n`;
  const file = join(root, 'dist/openjd-schema.json');
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** Writes openapi.yaml as JSON with the hash of its text, which the service reads much faster (http/openapi/parsed-document.ts). */
async function parseApiDocument() {
  const text = readFileSync(join(root, 'http/openapi/openapi.yaml'), 'utf8');
  const hash = createHash('sha256').update(text).digest('hex');
  const file = join(root, 'dist/http/openapi/openapi.json');
  if (existsSync(file) && readFileSync(file, 'utf8').startsWith(`${hash}\n`)) return;
  const { parse } = await import('yaml');
  // A service may read it at the same time.
  writeFileSync(`${file}.new`, `${hash}\n${JSON.stringify(parse(text))}`);
  renameSync(`${file}.new`, file);
}

/** Bundles the web application if it, or the packages, have changed since the last bundle. */
async function bundleWebApp() {
  const hash = hashOfWebApp();
  if (existsSync(WEB_APP) && existsSync(WEB_STAMP) && readFileSync(WEB_STAMP, 'utf8') === hash) return;
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  const config = join(WEB, 'vite.config.js');
  const status = await run(process.execPath, [vite, 'build', '--logLevel=warn', `--config=${config}`]);
  if (status !== 0) throw new Stop('The web application cannot be bundled: see above.');
  writeFileSync(WEB_STAMP, hash);
}

function hashOfWebApp() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  const files = readdirSync(WEB, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  for (const file of files) hash.update(file.slice(WEB.length)).update(readFileSync(file));
  return hash.digest('hex');
}

/** Writes commit and time of the build, for GET /api/v1/version, unless they are unchanged. */
function stamp() {
  const file = join(root, 'dist/build.json');
  const git = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  const commit = git.status === 0 ? git.stdout.trim() : '';
  if (existsSync(file)) {
    const built = statSync(file).mtimeMs;
    const isOlder = buildRecords().every((record) => statSync(record).mtimeMs <= built);
    if (isOlder && JSON.parse(readFileSync(file, 'utf8')).commit === commit) return;
  }
  // A service may read it at the same time.
  writeFileSync(`${file}.new`, JSON.stringify({ commit, built_at: new Date().toISOString() }));
  renameSync(`${file}.new`, file);
}

/** Returns the files that change when the compiler writes a different result. */
function compilerRecords() {
  const folder = join(root, 'dist/.tsbuildinfo');
  return readdirSync(folder).map((name) => join(folder, name));
}

/** Returns the files that change when a compiler or bundler writes a different result. */
const buildRecords = () => [...compilerRecords(), WEB_STAMP];

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runMain(async () => {
    await build();
    return 0;
  });
}
