import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../process/error-code.ts';

/** A directory locked by this process. The system releases the lock when the process ends, in any way. */
export interface DirectoryLock {
  release(): void;
}

export class DirectoryLockError extends Error {
  override readonly name = 'DirectoryLockError';
}

const LOCK_FILE = 'writer.lock';
const FLOCK_HELD = 1;
/** Longest wait for a child process of a killed holder: until it executes its program, it has the holder's files. */
const ORPHAN_SECONDS = 2;

/**
 * Locks a directory for one writer with flock(2), by the `flock` command of util-linux: the lock belongs to the open
 * file description, which this process shares with the command and keeps. Throws `DirectoryLockError` if another
 * opener, of this process or another, has it; if that process has ended, only after a wait of up to 2 s.
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
  const flock = (...wait: string[]): SpawnSyncReturns<string> =>
    spawnSync('flock', [...wait, `--${mode}`, '3'], {
      stdio: ['ignore', 'ignore', 'pipe', file],
      encoding: 'utf8',
    });
  let run = flock('--nonblock');
  if (run.status === FLOCK_HELD && run.stderr === '' && hasEnded(readFileSync(path, 'utf8')))
    run = flock('--timeout', String(ORPHAN_SECONDS));
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

/** Reports whether the process whose id the text is has ended. False if the text is not an id. */
function hasEnded(pid: string): boolean {
  if (!/^[1-9][0-9]*\n$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}
