import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Third-party data outside of the repository: next to it, or in the directory CALLSHEET_SHARED. Null if there is none.
 */
export function sharedFolder(name: string): string | null {
  const folder = resolve(process.env['CALLSHEET_SHARED'] ?? '../shared', name);
  return existsSync(folder) ? folder : null;
}
