import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const TIMEOUT_MS = 10_000;
const run = promisify(execFile);

/** A command that enters namespaces as a task would, and then exits with code 0. */
export interface NamespaceProbe {
  readonly command: string;
  readonly args: readonly string[];
}

/** Runs the probe. Returns null if it succeeds, or why it failed: the first line that it printed, or the error. Never throws. */
export async function failureOf({ command, args }: NamespaceProbe): Promise<string | null> {
  try {
    await run(command, [...args], {
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      timeout: TIMEOUT_MS,
    });
    return null;
  } catch (error) {
    if (!(error instanceof Error)) return String(error);
    const printed = 'stderr' in error ? String(error.stderr).split('\n', 1)[0] : undefined;
    return printed === undefined || printed === '' ? error.message : printed;
  }
}
