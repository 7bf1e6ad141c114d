import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a directory and those above it that are missing. Throws the error of the first that cannot be made. Node's own `recursive` turns
 * for ever where a file system answers that a directory cannot be found which it refuses to make (for example /proc).
 */
export function makeDirectory(path: string, mode: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent, mode);
  mkdirSync(path, { mode });
}
