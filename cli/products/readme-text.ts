import { printableLines } from '../commands/terminal.ts';

/** Formats a readme for a terminal. Control characters of the text do not reach it. Empty if there is no readme. */
export function readmeText(readme: string): string {
  const text = printableLines(readme.trimEnd());
  return text === '' ? '' : `${text}\n`;
}
