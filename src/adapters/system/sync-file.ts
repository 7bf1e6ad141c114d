import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Has the names in a directory on the disk: a rename in it is durable when this returns. */
export const syncDirectory = (path: string): void => sync(path, 'r');

/** Has what was written to a file, by whomever, on the disk. */
export const syncFile = (path: string): void => sync(path, 'r+');

function sync(path: string, flags: string): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
