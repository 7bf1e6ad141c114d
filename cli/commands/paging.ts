import { InvalidArgumentError, Option, type Command } from 'commander';
import { DIRECTIONS } from './choices.ts';
import type { Page } from '../../client/resources.ts';
import type { Terminal } from './terminal.ts';

const LIMIT_STANDARD = 50;

/** Options of a command that lists one page. */
export interface PageOptions {
  readonly limit: number;
  readonly offset: number;
}

function count(given: string): number {
  if (!/^[0-9]{1,15}$/.test(given)) throw new InvalidArgumentError('It must be a whole number from 0.');
  return Number(given);
}

/** Adds `--sort-by`, `--sort-dir`, `--limit` and `--offset`. Without a standard, the service decides the order. */
export const pageOptions = (
  command: Command,
  orders: readonly string[],
  standard?: { readonly by: string; readonly dir: string },
): Command =>
  command
    .addOption(new Option('--sort-by <field>', 'field to sort by').choices(orders).default(standard?.by))
    .addOption(new Option('--sort-dir <direction>', 'up or down').choices(DIRECTIONS).default(standard?.dir))
    .option('--limit <n>', 'how many to list, 1 to 1000', count, LIMIT_STANDARD)
    .option('--offset <n>', 'how many to skip first', count, 0);

/** Prints a note if more items follow the page. */
export function printPageEnd(terminal: Terminal, page: Page<unknown>, { offset }: PageOptions): void {
  const shown = offset + page.items.length;
  if (shown < page.total) terminal.err(`${shown} of ${page.total}; --offset ${shown} continues\n`);
}
