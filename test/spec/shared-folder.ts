import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** Folder of third-party data: next to the repository, or the directory CALLSHEET_SHARED. Null if it is missing. */
export function sharedFolder(name: string): string | null {
  const folder = resolve(process.env['CALLSHEET_SHARED'] ?? '../shared', name);
  return existsSync(folder) ? folder : null;
}
