import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../../bin/callsheet.js', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the command to its end, in an environment without other SVC_ variables than the given ones. */
export async function runCallsheet(
  args: readonly string[],
  options: {
    readonly environment?: Record<string, string>;
    readonly input?: string;
    /** Working directory; absent: that of the test. */
    readonly cwd?: string;
    /** Closes the reading end of the output. */
    readonly unread?: 'stdout' | 'stderr';
  } = {},
): Promise<Ran> {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: { PATH: process.env['PATH'], ...options.environment },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  if (options.unread !== undefined) child[options.unread].destroy();
  child.stdin.end(options.input ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}
