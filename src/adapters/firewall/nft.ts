import { execFile } from 'node:child_process';

const TIMEOUT_MS = 10_000;
const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** How to call `nft`. */
export interface NftOptions {
  /** Folders to look for the program in, separated by colons. Absent: those of the system. */
  readonly path?: string;
  /** Checks the commands with the kernel and changes nothing. */
  readonly isCheck?: boolean;
}

/**
 * Executes commands of nft(8) as one transaction: all of them take effect, or none.
 *
 * @throws Error with the reason: the program is missing, has no permission, or refuses a command.
 */
export function runNft(
  commands: string,
  { path = SYSTEM_PATH, isCheck = false }: NftOptions = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      'nft',
      [...(isCheck ? ['--check'] : []), '--file', '-'],
      { cwd: '/', env: { PATH: path, LC_ALL: 'C' }, timeout: TIMEOUT_MS, encoding: 'utf8' },
      (error, _stdout, stderr) => {
        if (error === null) resolve();
        else reject(new Error(reasonOf(error, stderr, path), { cause: error }));
      },
    );
    // A program that did not start or has failed does not read. Its exit gives the reason.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(commands);
  });
}

function reasonOf(error: Error & { readonly code?: unknown }, stderr: string, path: string): string {
  if (error.code === 'ENOENT') return `nft was not found in ${path}`;
  const [line = ''] = stderr.split('\n', 1);
  return line === '' ? `nft failed: ${error.message}` : `nft failed: ${line}`;
}
