import type { CommandPreview } from '../../../api/resources.ts';

/** Words that a shell would take as they are. */
const BARE = /^[\w@%+=:,./{}-]+$/;

/** A command with its arguments as one would write it in a shell. */
export function commandLine({ command, args, cut }: CommandPreview): string {
  const words = [command, ...args].map((word) =>
    BARE.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`,
  );
  return `${words.join(' ')}${cut === true ? ' …' : ''}`;
}
