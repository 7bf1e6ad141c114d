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
export function lockDirectory(directory: string): DirectoryLock {
  const path = join(directory, LOCK_FILE);
  const file = openSync(path, 'a+', 0o600);
  const run = spawnSync('flock', ['--nonblock', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', file],
    encoding: 'utf8',
  });
  if (run.status === 0) {
    ftruncateSync(file, 0);
    writeSync(file, `${process.pid}\n`);
    return { release: () => closeSync(file) };
  }
  const holder = readFileSync(path, 'utf8').trim();
  closeSync(file);
  if (run.error)
    throw new DirectoryLockError(
      `cannot lock ${directory}: the flock command of util-linux is needed: ${run.error.message}`,
    );
  if (run.status === FLOCK_HELD && run.stderr === '') {
    throw new DirectoryLockError(
      `${directory} is in use by another service${holder === '' ? '' : ` (process ${holder})`}`,
    );
  }
  throw new DirectoryLockError(`cannot lock ${directory}: ${run.stderr.trim()}`);
}
