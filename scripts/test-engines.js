/**
 * `npm run test:engines [-- --node 24] [--engine node] [FILE or FOLDER]...`: runs the tests of the HTTP layer and the end-to-end
 * tests, or those given, with each HTTP engine under each tested version of Node. Run it before a release; `npm test` runs the tests of
 * the HTTP layer with both engines under one version.
 *
 * The versions of Node come from packages of the npm registry and stay in a cache folder.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { bootstrap } from './bootstrap.js';
import { Stop, run, runMain, root } from './run.js';

/** The tested versions of Node, and the engines that run there. */
const TESTED = [
  { version: '20.20.2', engines: ['uws', 'node'] },
  { version: '22.23.3', engines: ['uws', 'node'] },
  { version: '24.21.0', engines: ['node'] },
];
const SUITES = ['dist/test/http', 'dist/test/e2e'];

const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'callsheet/node');

/** Installs a version of Node unless it is in the cache. Returns its program. */
async function programOf(version) {
  if (version === process.versions.node) return process.execPath;
  if (process.platform !== 'linux') throw new Stop('Other versions of Node are installed on Linux only.');
  const name = `node-linux-${process.arch}`;
  const folder = join(CACHE, version);
  const program = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
  const status = await run('npm', ['install', ...options, `${name}@${version}`]);
  if (status !== 0 || !existsSync(program))
    throw new Stop(`Node ${version} could not be installed: see above.`);
  return program;
}

await runMain(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { node: { type: 'string', multiple: true }, engine: { type: 'string' } },
  });
  const env = await bootstrap({ tests: true });
  const paths = positionals.length > 0 ? positionals : SUITES;
  const rows = TESTED.filter(({ version }) => values.node?.includes(version.split('.')[0]) ?? true).flatMap(
    ({ version, engines }) =>
      engines
        .filter((engine) => engine === (values.engine ?? engine))
        .map((engine) => ({ version, engine, name: `Node ${version}, ${engine}` })),
  );
  if (rows.length === 0) throw new Stop('No tested version of Node has this engine.');
  const failed = [];
  for (const { version, engine, name } of rows) {
    const program = await programOf(version);
    console.log(`\ntest:engines: ${name}`);
    const status = await run(program, [join(root, 'scripts/test-runner/run-tests.js'), ...paths], {
      env: {
        ...env,
        PATH: [dirname(program), env.PATH].join(delimiter),
        CALLSHEET_HTTP_ENGINE: engine,
      },
    });
    if (status !== 0) failed.push(name);
  }
  console.log(`\ntest:engines: ${failed.length === 0 ? 'all passed' : `failed: ${failed.join('; ')}`}`);
  return failed.length === 0 ? 0 : 1;
});
