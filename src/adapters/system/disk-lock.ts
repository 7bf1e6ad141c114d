import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A directory locked by this process. The system releases the lock when the process ends, in any way. */
export interface DirectoryLock {
  release(): void;
}

export class DirectoryLockError extends Error {
  override readonly name = 'DirectoryLockError';
}

const LOCK_FILE = 'writer.lock';
const FLOCK_HELD = 1;

/**
 * Locks a directory for one writer with flock(2), by the `flock` command of util-linux: the lock belongs to the open
 * file description, which this process shares with the command and keeps. Throws `DirectoryLockError` if another
 * opener, of this process or another, has it.
 */
export const lockDirectory = (directory: string): DirectoryLock =>
  lockFile(directory, LOCK_FILE, 'exclusive', 'another service');

/**
 * Locks a file in a directory, which is created if missing, as `lockDirectory` does; shared locks are compatible with
 * each other. `holder` names the owner of the lock in the error.
 */
export function lockFile(
  directory: string,
  name: string,
  mode: 'shared' | 'exclusive',
  holder: string,
): DirectoryLock {
  const path = join(directory, name);
  const file = openSync(path, 'a+', 0o600);
  const run = spawnSync('flock', ['--nonblock', `--${mode}`, '3'], {
    stdio: ['ignore', 'ignore', 'pipe', file],
    encoding: 'utf8',
  });
  if (run.status === 0) {
    ftruncateSync(file, 0);
    writeSync(file, `${process.pid}\n`);
    return { release: () => closeSync(file) };
  }
  const pid = readFileSync(path, 'utf8').trim();
  closeSync(file);
  if (run.error)
    throw new DirectoryLockError(
      `cannot lock ${directory}: the flock command of util-linux is needed: ${run.error.message}`,
    );
  if (run.status === FLOCK_HELD && run.stderr === '') {
    throw new DirectoryLockError(
      `${directory} is in use by ${holder}${pid === '' ? '' : ` (process ${pid})`}`,
    );
  }
  throw new DirectoryLockError(`cannot lock ${directory}: ${run.stderr.trim()}`);
}
