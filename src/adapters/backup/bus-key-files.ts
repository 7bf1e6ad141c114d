import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUS_KEY_FILE_BYTES_MAX, BUS_KEY_FILES } from './manifest.ts';

/** A file of the keys of a managed bus and of its certificate authority. Secret. */
export interface BusKeyFile {
  /** Path in `data.dir`. */
  readonly name: string;
  readonly data: Buffer;
}

/**
 * Returns the keys of the managed bus in `data.dir`; none for an external bus. Workers know the bus by them: with others,
 * all must join again. The certificate of the server and the files of its accounts are made from them at each start.
 *
 * @throws Error that names a file that cannot be read, or is too large to be a key.
 */
export function readBusKeyFiles(dataDirectory: string): readonly BusKeyFile[] {
  return BUS_KEY_FILES.flatMap((name) => {
    const path = join(dataDirectory, name);
    const data = readOrNull(path);
    if (data === null) return [];
    if (data.length === 0 || data.length > BUS_KEY_FILE_BYTES_MAX)
      throw new Error(`${path} is not a key of the bus: it has ${data.length} bytes`);
    return [{ name, data }];
  });
}

function readOrNull(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
