import { InvalidArgumentError } from 'commander';

/** The whole number that an argument says; wrong usage when it says none. */
export function integer(given: string): number {
  if (!/^-?[0-9]{1,15}$/.test(given)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(given);
}
