import { execFileSync } from 'node:child_process';

/** Runs a command and returns its output. Throws with its error output if it fails. */
export const command = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** Runs a command whose failure means that there is nothing to do. */
export function tryCommand(program: string, ...args: readonly string[]): boolean {
  try {
    command(program, ...args);
    return true;
  } catch {
    return false;
  }
}
