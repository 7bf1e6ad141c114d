import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import {
  CHECKSUMS_NAME,
  checksumsText,
  MANIFEST_NAME,
  readManifest,
  type BackupFile,
  type BackupManifest,
  type BackupPart,
} from './manifest.ts';
import {
  TAR_BLOCK_BYTES,
  TAR_END_BYTES,
  tarEntryName,
  tarEntrySize,
  tarHeader,
  tarPadding,
} from './tar-entry.ts';

/** A backup that cannot be restored: the message is one line that names the error and its position. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';

  constructor(path: string, reason: string) {
    super(`${path} is not restored: ${reason}`);
  }
}

/** Maximum number of bytes read as a manifest, which has some hundred. */
const MANIFEST_BYTES_MAX = 2 ** 16;
const READ_BYTES = 2 ** 20;

/**
 * Reads a backup from start to end and writes its stores and keys to the files that `targetOf` names, with mode 0600.
 * Checks each byte: headers and padding against their expected values, contents against their checksums. Throws
 * `ArchiveError` on any difference; the files written so far are then invalid. `accept` checks the manifest before any
 * store is written and returns a reason to refuse it, or null.
 */
export async function extractArchive(
  path: string,
  accept: (manifest: BackupManifest) => string | null,
  targetOf: (part: BackupPart | BackupFile) => string,
): Promise<BackupManifest> {
  const file = await open(path, 'r');
  try {
    return await new Extraction(path, file).run(accept, targetOf);
  } finally {
    await file.close();
  }
}

class Extraction {
  readonly #path: string;
  readonly #file: FileHandle;
  #at = 0;

  constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  async run(
    accept: (manifest: BackupManifest) => string | null,
    targetOf: (part: BackupPart | BackupFile) => string,
  ): Promise<BackupManifest> {
    const manifestBytes = await this.#manifest();
    const read = readManifest(manifestBytes.toString('utf8'));
    if (!read.ok) throw this.#fault(read.reason);
    const { manifest } = read;
    const modifiedAt = Math.floor(Date.parse(manifest.made_at) / 1000);
    const refusal = accept(manifest);
    if (refusal !== null) throw this.#fault(refusal);
    const sums: [string, string][] = [
      [MANIFEST_NAME, createHash('sha256').update(manifestBytes).digest('hex')],
    ];
    for (const part of [...manifest.parts, ...(manifest.files ?? [])]) {
      await this.#expect(tarHeader({ ...part, modifiedAt }), `the header of ${part.name}`);
      sums.push([part.name, await this.#copy(part, targetOf(part))]);
    }
    const checksums = Buffer.from(checksumsText(sums), 'utf8');
    const header = tarHeader({ name: CHECKSUMS_NAME, bytes: checksums.length, modifiedAt });
    await this.#expect(header, `the header of ${CHECKSUMS_NAME}`);
    const found = (await this.#read(checksums.length, CHECKSUMS_NAME)).toString('utf8').split('\n');
    for (const [index, [name, sum]] of sums.entries()) {
      if (found[index] !== `${sum}  ${name}`)
        throw this.#fault(`the checksum of ${name} does not match: it was altered`);
    }
    await this.#expect(Buffer.alloc(tarPadding(checksums.length) + TAR_END_BYTES), 'its end');
    const first = tarHeader({ name: MANIFEST_NAME, bytes: manifestBytes.length, modifiedAt });
    if (!(await this.#readAt(0, TAR_BLOCK_BYTES)).equals(first))
      throw this.#fault(`the header of ${MANIFEST_NAME} was altered`);
    if ((await this.#file.stat()).size !== this.#at)
      throw this.#fault(`it has data after its end, at byte ${this.#at}`);
    return manifest;
  }

  /** Reads the first entry. Only its header contains its size. */
  async #manifest(): Promise<Buffer> {
    const header = await this.#readAt(0, TAR_BLOCK_BYTES);
    const bytes = header.length < TAR_BLOCK_BYTES ? null : tarEntrySize(header);
    if (bytes === null || bytes > MANIFEST_BYTES_MAX || tarEntryName(header) !== MANIFEST_NAME)
      throw this.#fault('it is not a backup of Callsheet');
    this.#at = TAR_BLOCK_BYTES;
    const data = await this.#read(bytes, MANIFEST_NAME);
    await this.#expect(Buffer.alloc(tarPadding(bytes)), `the padding of ${MANIFEST_NAME}`);
    return data;
  }

  async #copy({ name, bytes }: BackupFile, target: string): Promise<string> {
    const hash = createHash('sha256');
    const output = await open(target, 'wx', 0o600);
    try {
      for (let left = bytes; left > 0;) {
        const data = await this.#read(Math.min(left, READ_BYTES), name);
        hash.update(data);
        await output.appendFile(data);
        left -= data.length;
      }
      await output.sync();
    } finally {
      await output.close();
    }
    await this.#expect(Buffer.alloc(tarPadding(bytes)), `the padding of ${name}`);
    return hash.digest('hex');
  }

  async #expect(wanted: Buffer, what: string): Promise<void> {
    const begin = this.#at;
    const found = await this.#read(wanted.length, what);
    if (found.equals(wanted)) return;
    const at = begin + found.findIndex((byte, index) => byte !== wanted[index]);
    throw this.#fault(`${what} was altered at byte ${at}`);
  }

  async #read(length: number, what: string): Promise<Buffer> {
    const data = await this.#readAt(this.#at, length);
    if (data.length < length)
      throw this.#fault(`it ends early in ${what}, at byte ${this.#at + data.length}`);
    this.#at += length;
    return data;
  }

  async #readAt(position: number, length: number): Promise<Buffer> {
    const data = Buffer.alloc(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#file.read(data, filled, length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return data.subarray(0, filled);
  }

  #fault(reason: string): ArchiveError {
    return new ArchiveError(this.#path, reason);
  }
}
