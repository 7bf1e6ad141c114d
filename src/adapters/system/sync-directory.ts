import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Has the names in a directory on the disk: a rename in it is durable when this returns. */
export function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
