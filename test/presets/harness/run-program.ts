import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** How a program ended, with all its output. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs a program to its end. Throws if it cannot be started. The process stays responsive meanwhile, so that connections that
 * the service closes are noticed.
 */
export async function runProgram(
  program: string,
  words: readonly string[],
  directory?: string,
): Promise<Ended> {
  const child = spawn(program, words, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}
