import { errorCode } from '../process/error-code.ts';

/** Why a file cannot be copied, in words for the one whose task it is. */
export class StagingError extends Error {}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'is not there'],
  ['ENOTDIR', 'lies below something that is no directory'],
  ['EISDIR', 'is a directory'],
  ['EACCES', 'may not be read or written by the worker'],
  ['EPERM', 'may not be read or written by the worker'],
  ['EROFS', 'is on a read-only file system'],
  ['ENOSPC', 'does not fit: the disk is full'],
  ['EDQUOT', 'does not fit: the quota is used up'],
  ['ENAMETOOLONG', 'has a name that is too long'],
  ['ELOOP', 'is a symbolic link'],
]);

/** The error as one that names the file. */
export function withPath(path: string, error: unknown): StagingError {
  if (error instanceof StagingError) return error;
  const code = errorCode(error);
  const words = code === null ? undefined : WORDS.get(code);
  const reason = words ?? (error instanceof Error ? error.message : String(error));
  return new StagingError(
    `${JSON.stringify(path)} ${words === undefined ? `cannot be copied: ${reason}` : reason}`,
    {
      cause: error,
    },
  );
}

/** Refuses a file. */
export const stagingError = (path: string, reason: string): StagingError =>
  new StagingError(`${JSON.stringify(path)} ${reason}`);
