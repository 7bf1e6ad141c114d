import { createInterface } from 'node:readline';
import { runOpenjdJsonl } from './commands/openjd-jsonl.ts';

/** `openjd check|expand --jsonl` by itself, for test suites. */
const [kind, format] = process.argv.slice(2);
if ((kind !== 'check' && kind !== 'expand') || format !== '--jsonl') {
  process.stderr.write('usage: openjd check|expand --jsonl\n');
  process.exitCode = 2;
} else {
  const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
  await runOpenjdJsonl(kind, lines, (line) => process.stdout.write(`${line}\n`));
}
