/**
 * Copies the binaries of uWebSockets.js that the package ships to dist/engine: those of Linux, each compared with its pinned checksum.
 * `--here` copies only the one of this machine and this version of Node. Needs a build, and the packages of the checkout.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PINNED } from '../dist/http/server/uws/binary.js';
import { Stop, root, runMain } from './run.js';

const SOURCE = join(root, 'node_modules/uWebSockets.js/dist/bin');
const TARGET = join(root, 'dist/engine');

/** Copies the binaries. */
export function shipEngine({ onlyHere = false } = {}) {
  const here = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  const names = Object.keys(PINNED).filter((name) =>
    onlyHere ? name === here : name.startsWith('uws_linux_'),
  );
  rmSync(TARGET, { recursive: true, force: true });
  mkdirSync(TARGET, { recursive: true });
  for (const name of names) {
    const found = createHash('sha256')
      .update(readFileSync(join(SOURCE, name)))
      .digest('hex');
    if (found !== PINNED[name])
      throw new Stop(`The checksum of ${join(SOURCE, name)} is not the pinned one.`);
    copyFileSync(join(SOURCE, name), join(TARGET, name));
  }
  // The binaries are under the same license as Callsheet; NOTICE names their author.
  copyFileSync(join(root, 'LICENSE'), join(TARGET, 'LICENSE'));
  console.log(`ship-engine: ${names.length === 0 ? 'no binary for this machine' : names.join(', ')}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runMain(async () => {
    shipEngine({ onlyHere: process.argv.includes('--here') });
    return 0;
  });
}
