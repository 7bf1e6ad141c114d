/**
 * `npm pack` runs it before and after: builds, adds the binaries of the HTTP engine, and writes npm-shrinkwrap.json, with which an
 * installation of the package gets the same versions as the lockfile. `--after` removes that file: a checkout uses package-lock.json.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.js';
import { root, runMain } from './run.js';

const SHRINKWRAP = join(root, 'npm-shrinkwrap.json');

/** Returns the lockfile without the packages that only a checkout needs. */
function shrinkwrap() {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const { '': top, ...others } = lock.packages;
  const { devDependencies: _, ...shipped } = top;
  const packages = Object.fromEntries(Object.entries(others).filter(([, entry]) => entry.dev !== true));
  return { ...lock, packages: { '': shipped, ...packages } };
}

await runMain(async () => {
  if (process.argv.includes('--after')) {
    rmSync(SHRINKWRAP, { force: true });
    return 0;
  }
  await build();
  const { shipEngine } = await import('./ship-engine.js');
  shipEngine();
  writeFileSync(SHRINKWRAP, `${JSON.stringify(shrinkwrap(), null, 2)}\n`);
  return 0;
});
