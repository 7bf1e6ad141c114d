import { ProblemError } from '../../client/problem.ts';
import type { HttpHeaders } from '../../client/http-fetch.ts';
import type { AnswerWithHeaders } from '../../client/rest.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { pointedLine } from './problem-text.ts';

/** Changes of other users between reading and writing after which a command gives up. */
const TRIES_MAX = 5;

/** Headers of a change that is refused if the object has another version. */
export interface VersionHeaders {
  readonly 'If-Match'?: string[];
}

/** A change that keeps what it does not name: the object is read, changed and written. */
export interface ConcurrentChange<Item> {
  /** The object, such as `queue main`. */
  readonly what: string;
  /** Names of the settings that the user has given. */
  readonly settings: ReadonlySet<string>;
  /** Replaces also those that another user has changed meanwhile. */
  readonly overwrite: boolean;
  readonly read: () => Promise<AnswerWithHeaders<Item>>;
  readonly write: (before: Item, headers: VersionHeaders) => Promise<Item>;
}

/** Returns the headers for a change of an object that was read with these. */
export function versionHeadersOf(headers: HttpHeaders): VersionHeaders {
  const etag = headers.get('etag');
  return etag === null ? {} : { 'If-Match': [etag] };
}

/** Returns the problem of a change that was refused because the object has another version; null for other errors. */
export function outdatedOf(error: unknown): ProblemError | null {
  const cause = error instanceof CommandError ? error.cause : null;
  return cause instanceof ProblemError && cause.status === 412 ? cause : null;
}

/** Returns the error of a change that another user has anticipated. */
export function conflictError(what: string, errors: ProblemError['errors'], cause: unknown): CommandError {
  const text = [
    `${what} has been changed meanwhile, and this command has not changed it:`,
    ...errors.map(pointedLine),
    'Run the command again to replace that, or use --overwrite.',
  ];
  return new CommandError(EXIT.conflict, text.join('\n'), { cause });
}

/**
 * Changes an object unless another user changes one of the given settings at the same time. Changes of other settings
 * are kept (docs/rest.md#concurrent-changes).
 */
export async function changeConcurrently<Item>({
  what,
  settings,
  overwrite,
  read,
  write,
}: ConcurrentChange<Item>): Promise<Item> {
  for (let tries = 1; ; tries++) {
    const { body: before, headers } = await read();
    try {
      return await write(before, versionHeadersOf(headers));
    } catch (error) {
      const outdated = outdatedOf(error);
      if (outdated === null || tries === TRIES_MAX) throw error;
      const same = outdated.errors.filter(({ pointer }) => settings.has(pointer.slice(1)));
      if (same.length > 0 && !overwrite) throw conflictError(what, same, error);
    }
  }
}
