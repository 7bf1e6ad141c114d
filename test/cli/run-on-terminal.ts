import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/adapters/system/package-root.ts';
import type { Ran } from './run-callsheet.ts';

const COMMAND = fileURLToPath(new URL('bin/callsheet.js', packageRoot));

/** A question in the output, and the text that the user enters then. */
export type Reply = readonly [question: string, answer: string];

/**
 * Runs the command on a terminal whose user gives the replies, in order. The output has both streams. Without `columns`,
 * the terminal does not know its width.
 */
export async function runOnTerminal(
  args: readonly string[],
  replies: readonly Reply[],
  columns?: number,
): Promise<Ran> {
  const command = [process.execPath, COMMAND, ...args].map((word) => `'${word}'`).join(' ');
  const line = columns === undefined ? command : `stty cols ${columns}; ${command}`;
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm' },
  });
  const waiting = [...replies];
  let out = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    const [question, answer] = waiting[0] ?? [];
    const at = question === undefined ? -1 : out.indexOf(question, seen);
    if (question === undefined || at < 0) return;
    seen = at + question.length;
    waiting.shift();
    child.stdin.write(`${answer}\n`);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err: '' };
}
