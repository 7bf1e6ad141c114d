import { execFileSync } from 'node:child_process';

/** Runs a command and returns its output. Throws with its error output if it fails. */
export const command = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
