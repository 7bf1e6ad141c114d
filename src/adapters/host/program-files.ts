import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * Returns the candidate files of a program, in the order of the PATH: its name with each of the suffixes, in each
 * directory. Relative if the PATH is.
 */
export function filesOnPath(
  program: string,
  environment: Readonly<Record<string, string | undefined>>,
  endings: readonly string[],
): readonly string[] {
  const path = environment['PATH'] ?? environment['Path'] ?? '';
  return path
    .split(delimiter)
    .filter((directory) => directory !== '')
    .flatMap((directory) => endings.map((ending) => join(directory, program + ending)));
}

/** Reports whether the file exists and is visible to this process. */
export async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Reports whether the file exists and is executable for this process. */
export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
  } catch {
    return false;
  }
  return isFile(path);
}
