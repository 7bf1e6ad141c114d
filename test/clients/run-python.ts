import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../../src/adapters/system/package-root.ts';

/** Folder of the Python client. */
export const PYTHON_CLIENT = fileURLToPath(new URL('clients/python', packageRoot));

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** A Python of this machine. */
export interface Python {
  readonly program: string;
  /** As `Python 3.9.18`. */
  readonly version: string;
}

/** Reports the version of a Python; null if it cannot be started. */
function readVersion(program: string): string | null {
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

/** Returns `python3`, and of each of these versions one that is on the PATH or installed by pyenv. */
export function findPythons(versions: readonly string[]): readonly Python[] {
  const root = join(process.env['PYENV_ROOT'] ?? join(homedir(), '.pyenv'), 'versions');
  const builds = existsSync(root) ? readdirSync(root) : [];
  const candidates = versions.map((version) => [
    `python${version}`,
    ...builds
      .filter((build) => build.startsWith(`${version}.`))
      .map((build) => join(root, build, 'bin/python3')),
  ]);
  const found = [['python3'], ...candidates].flatMap((programs): readonly Python[] => {
    for (const program of programs) {
      const version = readVersion(program);
      if (version !== null) return [{ program, version }];
    }
    return [];
  });
  return found.filter((python, at) => found.findIndex(({ version }) => version === python.version) === at);
}

/** Runs Python with the client on its path, and returns its whole output. */
export async function runPython(
  args: readonly string[],
  {
    cwd,
    environment = {},
    program = 'python3',
  }: {
    readonly cwd: string;
    readonly environment?: Record<string, string>;
    readonly program?: string;
  },
): Promise<Ran> {
  const child = spawn(program, args, {
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
