/**
 * `npm run generate` writes the files that are made from the sources; `--check` says which of them are stale instead.
 * Needs a build.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationReference } from '../dist/src/core/config/reference.js';
import { root, runMain } from './run.js';

/** Path and maker of each generated file. */
const GENERATED = [['docs/configuration.md', configurationReference]];

await runMain(async () => {
  const checking = process.argv.includes('--check');
  let stale = 0;
  for (const [path, make] of GENERATED) {
    const file = join(root, path);
    const text = make();
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    if (checking) {
      stale++;
      console.error(`${path} is not what the sources make: run "npm run generate".`);
    } else {
      writeFileSync(file, text);
      console.log(`wrote ${path}`);
    }
  }
  return stale === 0 ? 0 : 1;
});
