import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { printable, type Terminal } from '../terminal/terminal.ts';

/** An action to be confirmed. */
interface Action {
  /** Verb, such as `delete`. */
  readonly verb: string;
  /** The object with its kind, such as `farm show`. */
  readonly object: string;
  /** Sentences about the changes and about the objects that stay. */
  readonly consequences: readonly string[];
}

/**
 * Shows an action that cannot be undone and asks for confirmation if a user is at the terminal. Scripts (standard input or
 * standard error is not a terminal) and `--yes` are not asked. Throws if the user declines. `action` is called only to ask.
 */
export async function confirm(
  { ask }: Pick<Terminal, 'ask'>,
  isConfirmed: boolean,
  action: () => Promise<Action>,
): Promise<void> {
  if (isConfirmed || ask === null) return;
  const { verb, object, consequences } = await action();
  const title = `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${object}?`;
  const lines = [title, ...consequences.map((each) => `  ${each}`), `Enter y to ${verb}: `];
  const answer = await ask(lines.map(printable).join('\n'));
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError(EXIT.failed, 'nothing was changed');
}

/** Formats a count with its noun: `1 queue`, `3 queues`. */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
