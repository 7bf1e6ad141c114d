import { PaintedError, type CommandError } from './exit-codes.ts';
import { printableLines } from './terminal.ts';

/** Returns the message of an error as standard error shows it: without control characters of foreign text. */
export const errorText = (error: CommandError): string =>
  error instanceof PaintedError ? error.message : printableLines(error.message);
