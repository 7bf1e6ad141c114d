import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { clearArguments, clearVariables } from '../../../../src/adapters/system/own-environment.ts';

/** Clears `HIDDEN_*` and the value of `--secret`, and prints what remains readable. `HIDDEN_KEPT` stays usable. */
const failures = [
  clearVariables({
    isCleared: (name) => name.startsWith('HIDDEN_'),
    isKept: (name) => name === 'HIDDEN_KEPT',
  }),
  clearArguments(/(?<=--secret=)[^\0]+/g),
];
const shown = (file: string): string[] =>
  readFileSync(`/proc/self/${file}`, 'utf8')
    .split('\0')
    .filter((entry) => entry !== '');
const ofChild = execFileSync('env', ['-0'], { encoding: 'utf8' });
process.stdout.write(
  JSON.stringify({
    failures,
    environment: shown('environ'),
    arguments: shown('cmdline').slice(2),
    process: { kept: process.env['HIDDEN_KEPT'], gone: process.env['HIDDEN_GONE'] ?? null },
    ofChild: ofChild.split('\0').filter((entry) => entry.startsWith('HIDDEN_') || entry.startsWith('SHOWN')),
  }),
);
