/** Static imports of compiled modules. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const IMPORTED = /\b(?:from|import)\s*\(?\s*['"](\.[^'"]+\.js)['"]/g;

/**
 * Returns the modules that a module loads: itself and, by their absolute paths, those that it imports directly or through others.
 * Modules of packages are left out.
 *
 * @param {string} file
 * @param {Set<string>} [found] receives the modules
 */
export function modulesOf(file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, name] of readFileSync(file, 'utf8').matchAll(IMPORTED))
    modulesOf(resolve(dirname(file), name), found);
  return found;
}
