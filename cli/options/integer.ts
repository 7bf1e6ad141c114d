import { InvalidArgumentError } from 'commander';

/** Parses a whole number. Throws a usage error if the text is not one. */
export function integer(given: string): number {
  if (!/^-?[0-9]{1,15}$/.test(given)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(given);
}
