import { CommandError, EXIT } from './exit-codes.ts';
import { printable, type Terminal } from './terminal.ts';

/** A deletion to be confirmed. */
interface Deletion {
  /** The object with its kind, such as `farm show`. */
  readonly object: string;
  /** The other objects that are deleted with it, and those that stay, one sentence each. */
  readonly consequences: readonly string[];
}

/**
 * Shows a deletion and asks for confirmation if a user is at the terminal. Scripts (standard input or standard error is
 * not a terminal) and `--yes` are not asked. Throws if the user declines. `deletion` is called only to ask.
 */
export async function confirmDeletion(
  { ask }: Terminal,
  isConfirmed: boolean,
  deletion: () => Promise<Deletion>,
): Promise<void> {
  if (isConfirmed || ask === null) return;
  const { object, consequences } = await deletion();
  const lines = [`Delete ${object}?`, ...consequences.map((each) => `  ${each}`), 'Enter y to delete: '];
  const answer = await ask(lines.map(printable).join('\n'));
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError(EXIT.failed, 'nothing was deleted');
}

/** Formats a count with its noun: `1 queue`, `3 queues`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
