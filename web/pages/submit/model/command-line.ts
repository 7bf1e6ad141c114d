import type { CommandPreview } from '../../../../client/resources.ts';
import { shellWord } from '../../../parts/shell-words.ts';

/** Formats a command with its arguments for a shell. */
export function commandLine({ command, args, cut }: CommandPreview): string {
  return `${[command, ...args].map(shellWord).join(' ')}${cut === true ? ' …' : ''}`;
}
