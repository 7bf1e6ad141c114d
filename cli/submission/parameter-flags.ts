import { ProblemError } from '../../client/problem.ts';
import type { PointedError } from '../../client/resources.ts';
import { CommandError } from '../terminal/exit-codes.ts';

/** Sentences of the service about the value of a job parameter, with its name (src/openjd/template). */
const VALUE =
  /^the value of "(?<name>[^"]+)"(?: (?:of|and) (?:queue )?environment "(?:[^"\\]|\\.)*")*(?<at> at \[[^:]*)?: (?<wrong>[^]*)$/;
const UNKNOWN = /^there is no parameter "(?<name>[^"]+)"(?<more>[^]*)$/;
const MISSING =
  /^the parameter "(?<name>[^"]+)"(?<origin>(?: (?:of|and) (?:queue )?environment "(?:[^"\\]|\\.)*")*) has no default and needs a value$/;

/**
 * Returns an error about the value of a parameter as one about its flag: `-p Frames=abc: "abc" is not an integer`. Returns
 * null for other errors.
 */
export function flagError({ detail }: PointedError, given: ReadonlyMap<string, string>): string | null {
  const { name, at = '', wrong } = VALUE.exec(detail)?.groups ?? {};
  if (name !== undefined && wrong !== undefined && given.has(name))
    return `-p ${name}=${given.get(name) ?? ''}${at}: ${wrong}`;
  const { name: unknown, more = '' } = UNKNOWN.exec(detail)?.groups ?? {};
  if (unknown !== undefined && given.has(unknown))
    return `-p ${unknown}=${given.get(unknown) ?? ''}: there is no parameter ${unknown}${more}`;
  const { name: missing, origin = '' } = MISSING.exec(detail)?.groups ?? {};
  return missing === undefined
    ? null
    : `-p ${missing}=VALUE is missing: the parameter${origin} has no default`;
}

/** Returns the error with the flags of the values that are not valid; the error itself if it is about anything else. */
export function withFlags(error: unknown, given: ReadonlyMap<string, string>): unknown {
  if (!(error instanceof CommandError) || !(error.cause instanceof ProblemError)) return error;
  const { errors } = error.cause;
  const lines = errors.map((each) => flagError(each, given)).filter((line) => line !== null);
  return lines.length === 0 || lines.length < errors.length
    ? error
    : new CommandError(error.exitCode, lines.join('\n'), { cause: error.cause });
}
