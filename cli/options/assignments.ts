import { InvalidArgumentError } from 'commander';

/** Adds a `NAME=VALUE` option to earlier ones. The value may be any text. Throws if a name occurs twice. */
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
