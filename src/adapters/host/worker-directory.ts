import { spawn } from 'node:child_process';
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync, type Stats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeDirectory } from '../system/make-directory.ts';

/** Write permission of group or world. */
const WRITABLE_BY_OTHERS = 0o022;
const LOCK_HELD = 1;
const ROOT = 0;

const isOwn = (user: number): boolean => process.getuid === undefined || user === process.getuid();

/** The directory cannot be used; the message is for the operator of the worker. */
class WorkerDirectoryError extends Error {
  override readonly name = 'WorkerDirectoryError';
}

/**
 * Creates the worker's directory if it is missing and returns its path without links. It is often below the system's
 * temporary directory, so a directory that another account owns or can write to is refused.
 */
export async function prepareWorkerDirectory(path: string): Promise<string> {
  const absolute = resolve(path);
  const { named, found } = await made(absolute);
  if (!isOwn(found.uid) || (!isOwn(named.uid) && named.uid !== ROOT)) {
    throw new WorkerDirectoryError(`worker.dir: ${absolute} belongs to another user`);
  }
  if ((found.mode & WRITABLE_BY_OTHERS) !== 0) {
    throw new WorkerDirectoryError(`worker.dir: ${absolute} may be written to by others; chmod go-w it`);
  }
  return realpath(absolute);
}

async function made(absolute: string): Promise<{ readonly named: Stats; readonly found: Stats }> {
  try {
    makeDirectory(absolute, 0o700);
    const found = await stat(absolute);
    if (found.isDirectory()) return { named: await lstat(absolute), found };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new WorkerDirectoryError(`worker.dir: ${absolute} cannot be made or read: ${reason}`);
  }
  throw new WorkerDirectoryError(`worker.dir: ${absolute} is not a directory`);
}

/**
 * Locks the directory for this process until it ends: the kernel holds the lock as long as the file is open. Fails if
 * another agent has it.
 */
export async function lockWorkerDirectory(directory: string): Promise<{ release(): void }> {
  const path = join(directory, 'lock');
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  const code = await flock(file);
  if (code !== 0) {
    closeSync(file);
    throw new WorkerDirectoryError(
      code === LOCK_HELD
        ? `worker.dir: ${directory} is in use by another worker${holder(path)}`
        : `worker.dir: ${directory} could not be locked (flock gave ${String(code)}; it is part of util-linux)`,
    );
  }
  ftruncateSync(file, 0);
  writeSync(file, `${process.pid}\n`, 0);
  return {
    release: () => {
      closeSync(file);
    },
  };
}

/** The process that holds the lock, for the message; the holder writes its id only after it has the lock. */
function holder(path: string): string {
  const process = readFileSync(path, 'utf8').trim();
  return process === '' ? '' : ` (process ${process})`;
}

/** Locks the open file. The lock belongs to the file description, so it outlives the command. */
function flock(file: number): Promise<number | string> {
  return new Promise((done) => {
    const child = spawn('flock', ['--exclusive', '--nonblock', '3'], {
      // Without the variables of the worker, which may contain secrets.
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'ignore', file],
    });
    child.on('error', (error) => {
      done(error.message);
    });
    child.on('exit', (code, signal) => {
      done(code ?? signal ?? 'no code');
    });
  });
}
