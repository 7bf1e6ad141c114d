import { InvalidArgumentError } from 'commander';

/** Adds a `NAME=VALUE` of the command line to earlier ones. A value may hold anything, and a name occurs once. */
export function collectAssignment(
  given: string,
  earlier: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const equals = given.indexOf('=');
  if (equals < 1) throw new InvalidArgumentError('It must be NAME=VALUE.');
  const name = given.slice(0, equals);
  if (earlier.has(name)) throw new InvalidArgumentError(`${name} is given twice.`);
  return new Map([...earlier, [name, given.slice(equals + 1)]]);
}
