/** Hooks of the module loader that serve the source of a mutant in place of the compiled file. */
import { readFileSync, writeFileSync } from 'node:fs';

let mutant;

/** @param {{ url: string, source: string, loaded: string }} data - `source` and `loaded` are paths. */
export function initialize(data) {
  mutant = data;
}

export async function load(url, context, next) {
  if (url !== mutant.url) return next(url, context);
  writeFileSync(mutant.loaded, '');
  return { format: 'module', shortCircuit: true, source: readFileSync(mutant.source, 'utf8') };
}
