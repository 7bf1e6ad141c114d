import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from '../system/sync-file.ts';
import {
  CHECKSUMS_NAME,
  checksumsText,
  MANIFEST_NAME,
  manifestText,
  type BackupManifest,
} from './manifest.ts';
import { TAR_END_BYTES, tarHeader, tarPadding } from './tar-entry.ts';

/** Returns the path of an archive before it is complete. */
export const partialPath = (path: string): string => `${path}.partial`;

const READ_BYTES = 2 ** 20;
const FLUSH_BYTES = 8 * 2 ** 20;

/**
 * Packs the stores into one tar file: manifest, stores, keys of the bus, checksums. It gets its name when it is complete
 * and on disk. Each store's file is removed once it is packed. `paths` are in the order of the manifest's parts, `files`
 * are the contents of the manifest's files. The partial file must not exist.
 */
export async function writeArchive(
  path: string,
  manifest: BackupManifest,
  paths: readonly string[],
  files: readonly Buffer[] = [],
): Promise<void> {
  const partial = partialPath(path);
  const modifiedAt = Math.floor(Date.parse(manifest.made_at) / 1000);
  const file = await open(partial, 'wx', 0o600);
  try {
    const sums: [string, string][] = [];
    const write = async (name: string, data: Buffer): Promise<void> => {
      const padding = Buffer.alloc(tarPadding(data.length));
      await file.appendFile(
        Buffer.concat([tarHeader({ name, bytes: data.length, modifiedAt }), data, padding]),
      );
      sums.push([name, createHash('sha256').update(data).digest('hex')]);
    };
    await write(MANIFEST_NAME, Buffer.from(manifestText(manifest), 'utf8'));
    for (const [at, { name, bytes }] of manifest.parts.entries()) {
      const source = paths[at];
      if (source === undefined) throw new Error(`no file for ${name}`);
      await file.appendFile(tarHeader({ name, bytes, modifiedAt }));
      const hash = createHash('sha256');
      let copied = 0;
      let flushed = 0;
      for await (const chunk of createReadStream(source, { highWaterMark: READ_BYTES })) {
        const data = chunk as Buffer;
        hash.update(data);
        copied += data.length;
        await file.appendFile(data);
        // In pieces: one flush of the whole file at the end would delay the commits of the service.
        if (copied - flushed >= FLUSH_BYTES) {
          await file.datasync();
          flushed = copied;
        }
      }
      if (copied !== bytes) throw new Error(`${source} has ${copied} bytes and not ${bytes}`);
      await file.appendFile(Buffer.alloc(tarPadding(bytes)));
      sums.push([name, hash.digest('hex')]);
      await rm(source);
    }
    for (const [at, { name }] of (manifest.files ?? []).entries()) {
      const data = files[at];
      if (data === undefined) throw new Error(`no contents for ${name}`);
      await write(name, data);
    }
    await write(CHECKSUMS_NAME, Buffer.from(checksumsText(sums), 'utf8'));
    await file.appendFile(Buffer.alloc(TAR_END_BYTES));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, path);
  syncDirectory(dirname(path));
}
