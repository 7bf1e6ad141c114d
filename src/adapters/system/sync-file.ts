import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Flushes the entries of a directory: a rename in it is durable when this returns. */
export const syncDirectory = (path: string): void => sync(path, 'r');

/** Flushes all writes to a file, by any process. */
export const syncFile = (path: string): void => sync(path, 'r+');

function sync(path: string, flags: string): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
