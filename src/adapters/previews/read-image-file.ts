import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { errorCode } from '../process/error-code.ts';
import { MAKER_LIMITS } from './limits.ts';

const MIB = 2 ** 20;

/**
 * Reads a regular file. Returns its bytes, or why it is not read, for people to read. A link is not followed, and a pipe
 * or device is not waited for.
 */
export async function readImageFile(path: string): Promise<Buffer | string> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    return REASONS.get(errorCode(error) ?? '') ?? `the file cannot be read: ${errorCode(error) ?? 'unknown'}`;
  }
  try {
    const facts = await file.stat();
    if (!facts.isFile()) return 'it is not a regular file';
    if (facts.size > MAKER_LIMITS.fileBytes)
      return `the file has more than ${MAKER_LIMITS.fileBytes / MIB} MiB`;
    const bytes = Buffer.alloc(facts.size);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await file.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['ENOTDIR', 'there is no such file'],
  ['ELOOP', 'it is a symbolic link'],
  ['EACCES', 'the account of the task may not read it'],
  ['ENXIO', 'it is not a regular file'],
]);
