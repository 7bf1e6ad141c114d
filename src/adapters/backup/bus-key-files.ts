import { join } from 'node:path';
import { readIfPresent } from '../system/read-if-present.ts';
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
export async function readBusKeyFiles(dataDirectory: string): Promise<readonly BusKeyFile[]> {
  const found: BusKeyFile[] = [];
  for (const name of BUS_KEY_FILES) {
    const path = join(dataDirectory, name);
    const data = await readIfPresent(path);
    if (data === null) continue;
    if (data.length === 0 || data.length > BUS_KEY_FILE_BYTES_MAX)
      throw new Error(`${path} is not a key of the bus: it has ${data.length} bytes`);
    found.push({ name, data });
  }
  return found;
}
