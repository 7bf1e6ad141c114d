import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** Data of others that is not part of the repository: beside it, or where CALLSHEET_SHARED says. Null when there is none. */
export function sharedFolder(name: string): string | null {
  const folder = resolve(process.env['CALLSHEET_SHARED'] ?? '../shared', name);
  return existsSync(folder) ? folder : null;
}
