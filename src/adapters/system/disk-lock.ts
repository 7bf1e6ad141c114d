import { spawnSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A directory that this process holds alone. The system gives it back when the process ends, however it ends. */
export interface DirectoryLock {
  release(): void;
}

export class DirectoryLockError extends Error {
  override readonly name = 'DirectoryLockError';
}

const LOCK_FILE = 'writer.lock';
const FLOCK_HELD = 1;

/**
 * Locks a directory for one writer with flock(2), by the `flock` command of util-linux: the lock is on the open file, which this
 * process shares with the command and keeps. Throws `DirectoryLockError` when another opener, of this process or another, holds it.
 */
export const lockDirectory = (directory: string): DirectoryLock =>
  lockFile(directory, LOCK_FILE, 'exclusive', 'another service');

/**
 * Locks a file in a directory, made when missing, as `lockDirectory` does; a shared lock goes together with other shared ones. `holder` says in
 * the error who has it.
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
