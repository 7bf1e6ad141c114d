import { readFile } from 'node:fs/promises';

/** Returns the contents of a file, or null if it does not exist. Throws the error of the system if it cannot be read. */
export async function readIfPresent(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Returns the text of a file in UTF-8, or null if it does not exist. Throws the error of the system if it cannot be read. */
export async function readTextIfPresent(path: string): Promise<string | null> {
  return (await readIfPresent(path))?.toString('utf8') ?? null;
}
