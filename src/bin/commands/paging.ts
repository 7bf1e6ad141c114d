import { InvalidArgumentError, type Command } from 'commander';
import type { Page } from './resources.ts';
import type { Query } from './rest-client.ts';
import type { Terminal } from './terminal.ts';

const LIMIT_STANDARD = 50;

/** What a command that lists one page of something takes. */
export interface PageOptions {
  readonly limit: number;
  readonly offset: number;
}

function count(given: string): number {
  if (!/^[0-9]{1,15}$/.test(given)) throw new InvalidArgumentError('It must be a whole number from 0.');
  return Number(given);
}

export const pageOptions = (command: Command): Command =>
  command
    .option('--limit <n>', 'how many to list, 1 to 1000', count, LIMIT_STANDARD)
    .option('--offset <n>', 'how many to leave out first', count, 0);

export const pageQuery = ({ limit, offset }: PageOptions): Query => ({ limit, offset });

/** Says when a page is not all there is. */
export function printPageEnd(terminal: Terminal, page: Page<unknown>, { offset }: PageOptions): void {
  const shown = offset + page.items.length;
  if (shown < page.total) terminal.err(`${shown} of ${page.total}; --offset ${shown} continues\n`);
}
