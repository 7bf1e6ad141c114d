import { access, constants, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/**
 * The files that a program of this name could be, in the order of the PATH: its name with each of the endings, in each directory that the PATH
 * names. Relative where the PATH is.
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

/** Whether there is a file that this process can see. */
export async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** Whether there is a file that this process may run. */
export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
  } catch {
    return false;
  }
  return isFile(path);
}
