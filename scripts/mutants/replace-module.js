/**
 * Preloaded into the processes of a test: replaces one compiled module by the mutant that `CALLSHEET_MUTANT` names. No file of
 * the build changes, so that several mutants can be tested at the same time.
 */
import { readFileSync } from 'node:fs';
import { register } from 'node:module';

const description = process.env.CALLSHEET_MUTANT;
if (description !== undefined)
  register('./module-hooks.js', import.meta.url, { data: JSON.parse(readFileSync(description, 'utf8')) });
