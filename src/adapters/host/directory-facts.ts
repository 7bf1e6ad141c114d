import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, opendir, realpath, stat, statfs, unlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { DiskFacts } from '../../core/host-check/disk-findings.ts';
import { prepareWorkerDirectory } from './worker-directory.ts';

const TRAVERSABLE_BY_OTHERS = 0o001;

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Returns why the directory cannot be read by this process; null if it can. */
export async function unreadable(directory: string): Promise<string | null> {
  try {
    const open = await opendir(directory);
    try {
      await open.read();
    } finally {
      await open.close();
    }
    await access(directory, constants.R_OK | constants.X_OK);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

/** Returns the facts about `worker.dir`. Changes nothing, except that it writes and removes a file in it. */
export async function workerDirectoryFacts(path: string): Promise<DiskFacts> {
  const directory = resolve(path);
  const parent = await existing(directory);
  const exists = parent === directory;
  const fault = exists ? await useFault(directory) : await createFault(parent);
  const { bavail, bsize } = await statfs(parent);
  return {
    directory,
    exists,
    fault,
    freeBytes: bavail * bsize,
    closedDirectory: await closedTo(exists ? dirname(parent) : parent),
  };
}

/** Returns the path, or the nearest directory above it that exists. */
async function existing(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing || dirname(path) === path) return path;
    return existing(dirname(path));
  }
}

async function useFault(directory: string): Promise<string | null> {
  try {
    const path = await prepareWorkerDirectory(directory);
    const file = join(path, `check-${randomUUID()}`);
    await writeFile(file, '', { mode: 0o600, flag: 'wx' });
    await unlink(file);
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

async function createFault(parent: string): Promise<string | null> {
  try {
    if (!(await stat(parent)).isDirectory()) return `${parent} is not a directory`;
    await access(parent, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `worker.dir cannot be created in ${parent}: ${reasonOf(error)}`;
  }
}

/** Returns the first directory on the path that other accounts cannot traverse; null if there is none. */
async function closedTo(directory: string): Promise<string | null> {
  let path = await realpath(directory);
  let closed: string | null = null;
  for (;;) {
    if (((await stat(path)).mode & TRAVERSABLE_BY_OTHERS) === 0) closed = path;
    if (dirname(path) === path) return closed;
    path = dirname(path);
  }
}
