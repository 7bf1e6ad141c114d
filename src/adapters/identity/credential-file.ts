import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import {
  parsePendingKey,
  parseStoredCredential,
  type PendingKey,
  type StoredCredential,
} from '../../core/bus-identity/stored-credential.ts';
import type { Parsed } from '../../core/wire/json-text.ts';
import { replaceFile } from '../system/durable-file.ts';

const ANY_ACCESS_OF_OTHERS = 0o077;
const FILE_BYTES_MAX = 1024 * 1024;

/** The file cannot be used; the message is for the operator of the worker. It contains nothing of the file. */
class CredentialFileError extends Error {
  override readonly name = 'CredentialFileError';

  constructor(path: string, reason: string) {
    super(`worker.credentials_file: ${path} ${reason}`);
  }
}

/**
 * Returns the credential in a file; null if there is no such file.
 *
 * @throws CredentialFileError if it is not a valid credential, or others may read it.
 */
export const readCredential = (path: string): Promise<StoredCredential | null> =>
  readOwnFile(path, parseStoredCredential);

/** Replaces the credential. It is on disk when this resolves. */
export const writeCredential = (path: string, credential: StoredCredential): Promise<void> =>
  writeOwnFile(path, credential);

const pendingPath = (path: string): string => `${path}.pending`;

/**
 * Returns the key for which a credential was requested last, next to the credential; null if there is none.
 *
 * @throws CredentialFileError as `readCredential`.
 */
export const readPendingKey = (path: string): Promise<PendingKey | null> =>
  readOwnFile(pendingPath(path), parsePendingKey);

export const writePendingKey = (path: string, key: PendingKey): Promise<void> =>
  writeOwnFile(pendingPath(path), key);

export const removePendingKey = (path: string): Promise<void> => rm(pendingPath(path), { force: true });

async function readOwnFile<T>(path: string, parse: (text: string) => Parsed<T>): Promise<T | null> {
  const content = await contentOf(path);
  if (content === null) return null;
  const parsed = parse(content);
  if (!parsed.ok)
    throw new CredentialFileError(path, `is not a credential (${parsed.reason}); remove it and join again`);
  return parsed.value;
}

/** Checks the open file and not its path, so that it cannot be replaced in between. */
async function contentOf(path: string): Promise<string | null> {
  let file;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CredentialFileError(path, `cannot be read: ${reason}`);
  }
  try {
    const { mode, uid, size } = await file.stat();
    if (process.getuid !== undefined && uid !== process.getuid())
      throw new CredentialFileError(path, 'belongs to another user');
    if ((mode & ANY_ACCESS_OF_OTHERS) !== 0)
      throw new CredentialFileError(
        path,
        'may be read or written by others; chmod 600 it, and join again if they did',
      );
    if (size > FILE_BYTES_MAX) throw new CredentialFileError(path, `is larger than ${FILE_BYTES_MAX} bytes`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

async function writeOwnFile(path: string, content: object): Promise<void> {
  // A draft that a crash has left, or that others have made, keeps its permissions.
  await rm(`${path}.new`, { force: true });
  try {
    await replaceFile(path, `${JSON.stringify(content, null, 2)}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CredentialFileError(path, `cannot be written: ${reason}`);
  }
}
