/** Compiles the sources to dist/ and removes what was compiled from sources that are gone. Needs the packages. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stop, root, run, runMain } from './run.js';

const COMPILED = /\.(js|js\.map|d\.ts)$/;

function removeOrphans() {
  const dist = join(root, 'dist');
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !COMPILED.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const source = join(root, relative(dist, file).replace(COMPILED, '.ts'));
    if (!existsSync(source)) rmSync(file);
  }
}

/** Compiles; incremental, so that it takes a second when nothing has changed. */
export async function build() {
  const status = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b']);
  if (status !== 0) throw new Stop('The sources do not compile: see above.');
  removeOrphans();
  stamp();
}

/** Says what was built and when: GET /api/v1/version shows it. */
function stamp() {
  const git = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  const commit = git.status === 0 ? git.stdout.trim() : '';
  writeFileSync(
    join(root, 'dist/build.json'),
    JSON.stringify({ commit, built_at: new Date().toISOString() }),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runMain(async () => {
    await build();
    return 0;
  });
}
