import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/adapters/system/package-root.ts';

/** Folder of the Python client. */
export const PYTHON_CLIENT = fileURLToPath(new URL('clients/python', packageRoot));

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** Runs Python with the client on its path, and returns its whole output. */
export async function runPython(
  args: readonly string[],
  { cwd, environment = {} }: { readonly cwd: string; readonly environment?: Record<string, string> },
): Promise<Ran> {
  const child = spawn('python3', args, {
    cwd,
    env: {
      ...process.env,
      PYTHONPATH: join(PYTHON_CLIENT, 'src'),
      PYTHONDONTWRITEBYTECODE: '1',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

/** Returns the arguments that run the unit tests of a folder. */
export const unitTests = (folder: string): readonly string[] => ['-m', 'unittest', 'discover', '-s', folder];
