import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a directory and its missing parents. Throws the error of the first that cannot be created. Node's own
 * `recursive` loops endlessly on a file system that refuses to create a directory with "not found" (for example /proc).
 */
export function makeDirectory(path: string, mode: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent, mode);
  mkdirSync(path, { mode });
}
