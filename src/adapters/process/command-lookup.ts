import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { errorCode } from './error-code.ts';

/** Where a program is looked for when the environment names no place. */
const DEFAULT_PATH = '/bin:/usr/bin';

/**
 * Whether there is surely no such command: for one that is started by way of another, which could only fail with an exit code of its own. A
 * place that this process may not look into is no proof.
 */
export async function isCommandMissing(
  command: string,
  path: string | undefined,
  workingDirectory: string,
): Promise<boolean> {
  const places = command.includes('/') ? [''] : (path ?? DEFAULT_PATH).split(':');
  for (const place of places) {
    if (await mayBeThere(resolve(workingDirectory, place, command))) return false;
  }
  return true;
}

async function mayBeThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
