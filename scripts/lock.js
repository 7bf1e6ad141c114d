/** A lock between processes: two scripts must not install packages or build at the same time. */
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 200;

/** Takes the lock file, or returns the id of the process that holds it. */
function take(path) {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    // The file appears with its content.
    linkSync(own, path);
    return undefined;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return readHolder(path);
  } finally {
    rmSync(own);
  }
}

function readHolder(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return 0; // It has just been released.
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/**
 * Runs an action while no other process runs one with the same lock file.
 *
 * @template T
 * @param {string} path - The lock file. A file of a process that no longer runs is removed.
 * @param {() => Promise<T>} action
 * @returns {Promise<T>}
 */
export async function withLock(path, action) {
  mkdirSync(dirname(path), { recursive: true });
  for (let holder = take(path), waits = false; holder !== undefined; holder = take(path)) {
    if (holder !== 0 && !isRunning(holder)) rmSync(path, { force: true });
    else {
      if (!waits) console.log(`Waiting for process ${holder}, which prepares this folder.`);
      waits = true;
      await wait(POLL_MS);
    }
  }
  try {
    return await action();
  } finally {
    rmSync(path, { force: true });
  }
}
