import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A definition file, or why it cannot be read. */
export type DefinitionFile =
  | { readonly ok: true; readonly path: string; readonly text: string }
  | { readonly ok: false; readonly path: string; readonly detail: string };

const EXTENSION = /\.(?:ya?ml|json)$/;
/** Maximum size of a file in bytes: that of a template (docs/contract/limits.md). */
const FILE_BYTES_MAX = 16_777_216;

/**
 * Reads the definition files of a folder and its subfolders (`.yaml`, `.yml`, `.json`), in the order of their paths.
 * Skips names that begin with a dot. Rejects if the folder cannot be read; an unreadable file is an item of the result.
 */
export async function readDefinitionFiles(folder: string): Promise<readonly DefinitionFile[]> {
  const entries = await readdir(folder, { recursive: true });
  const paths = entries.filter((path) => EXTENSION.test(path) && !path.split('/').some(isHidden)).sort();
  return Promise.all(paths.map((path) => readOne(join(folder, path))));
}

const isHidden = (name: string): boolean => name.startsWith('.');

async function readOne(path: string): Promise<DefinitionFile> {
  try {
    const { size } = await stat(path);
    if (size > FILE_BYTES_MAX)
      return { ok: false, path, detail: `has ${size} bytes, more than ${FILE_BYTES_MAX}` };
    return { ok: true, path, text: await readFile(path, 'utf8') };
  } catch (error) {
    return { ok: false, path, detail: error instanceof Error ? error.message : String(error) };
  }
}
