import { readFile } from 'node:fs/promises';
import { CommandError, EXIT } from './exit-codes.ts';

const STANDARD_INPUT = '-';

/** A file as given on the command line. */
export interface TextFile {
  /** Name of the file in messages. */
  readonly name: string;
  readonly text: string;
  readonly isStandardInput: boolean;
}

/** Reads a file; `-` is standard input. Throws a usage error that names `what` if it cannot be read. */
export async function readTextFile(path: string, what: string): Promise<TextFile> {
  const isStandardInput = path === STANDARD_INPUT;
  try {
    const text = isStandardInput ? await standardInput() : await readFile(path, 'utf8');
    return { name: isStandardInput ? 'standard input' : path, text, isStandardInput };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new CommandError(EXIT.usage, `the ${what} cannot be read: ${detail}`);
  }
}

/** Reads standard input to its end. */
async function standardInput(): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

/** Returns the error of a command that could not write a file. */
export const unwritable = (path: string, error: unknown): CommandError =>
  new CommandError(
    EXIT.usage,
    `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
  );
