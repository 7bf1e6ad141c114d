import { errorCode } from '../process/error-code.ts';

/** Why a file cannot be copied, as text for the owner of the task. */
export class StagingError extends Error {}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'is below a file that is not a directory'],
  ['EISDIR', 'is a directory'],
  ['EACCES', 'may not be read or written by the worker'],
  ['EPERM', 'may not be read or written by the worker'],
  ['EROFS', 'is on a read-only file system'],
  ['ENOSPC', 'does not fit: the disk is full'],
  ['EDQUOT', 'does not fit: the quota is used up'],
  ['ENAMETOOLONG', 'has a name that is too long'],
  ['ELOOP', 'is a symbolic link'],
]);

/** Returns the error with the path of the file. */
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

/** Returns the error of a refused file. */
export const stagingError = (path: string, reason: string): StagingError =>
  new StagingError(`${JSON.stringify(path)} ${reason}`);
