import type { CommandPreview } from '../../../../client/resources.ts';
import { shellWord } from '../../../parts/shell-words.ts';

/** A command with its arguments as one would write it in a shell. */
export function commandLine({ command, args, cut }: CommandPreview): string {
  return `${[command, ...args].map(shellWord).join(' ')}${cut === true ? ' …' : ''}`;
}
