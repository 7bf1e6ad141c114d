import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { allowedVariables, DENIED_VARIABLES } from '../../core/access/denied-variables.ts';

/** Result of a command. `end` is null after exit status 0; otherwise it says how the command ended, as a clause. */
export interface CommandResult {
  readonly end: string | null;
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs a command with `/bin/sh -c`, without the server's own variables and secrets, and reads up to `bytesMax` of each
 * output. Ends its whole process group when `signal` aborts, and what the group left behind when the command has ended.
 * Does not throw.
 */
export function runCommand(command: string, signal: AbortSignal, bytesMax: number): Promise<CommandResult> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve({ end: 'was not started', output: '', errors: '' });
      return;
    }
    const child = start(command);
    if (child instanceof Error) {
      resolve({ end: notStarted(child), output: '', errors: '' });
      return;
    }
    const output = collect(child.stdout, bytesMax);
    const errors = collect(child.stderr, bytesMax);
    const finish = (end: string | null): void => {
      signal.removeEventListener('abort', abort);
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve({ end, output: output(), errors: errors() });
    };
    // Without waiting for the end of processes that cannot be ended, such as those of another account.
    const abort = (): void => {
      killGroup(child);
      finish('was ended');
    };
    signal.addEventListener('abort', abort);
    child.on('error', (error) => finish(notStarted(error)));
    child.on('exit', () => killGroup(child));
    child.on('close', (code, killedBy) => finish(endOf(code, killedBy)));
  });
}

/** Starts the command in a process group of its own, so that its children end with it. Some errors are thrown, others are an event. */
function start(command: string): ChildProcess | Error {
  try {
    return spawn('/bin/sh', ['-c', command], {
      cwd: '/',
      env: allowedVariables(process.env, DENIED_VARIABLES),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

const notStarted = (error: Error): string => `could not be started: ${error.message}`;

function endOf(code: number | null, killedBy: NodeJS.Signals | null): string | null {
  if (killedBy !== null) return `was ended by ${killedBy}`;
  return code === 0 ? null : `ended with exit status ${code}`;
}

/**
 * Reads a stream, which is missing after some errors of the start. Returns a function with the text so far; bytes beyond
 * the limit are dropped.
 */
function collect(stream: Readable | null | undefined, bytesMax: number): () => string {
  const pieces: Buffer[] = [];
  let bytes = 0;
  stream?.on('data', (piece: Buffer) => {
    const kept = piece.subarray(0, Math.max(0, bytesMax - bytes));
    bytes += kept.length;
    if (kept.length > 0) pieces.push(kept);
  });
  return () => Buffer.concat(pieces).toString('utf8');
}

/** Ends what is left of the group: a process that holds the outputs open would keep the result from being known. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // There is none, or those that are left belong to another account.
    if (!(error instanceof Error && 'code' in error && ['ESRCH', 'EPERM'].includes(String(error.code))))
      throw error;
  }
}
