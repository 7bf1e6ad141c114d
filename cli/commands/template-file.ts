import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { TemplateFormat } from '../../src/core/records/job.ts';
import { CommandError, EXIT } from './exit-codes.ts';

const STANDARD_INPUT = '-';

/** A template as given on the command line. */
export interface TemplateFile {
  /** Name of the template in messages. */
  readonly name: string;
  readonly text: string;
  readonly format: TemplateFormat;
}

/**
 * Reads a template; `-` is standard input. A file that ends in `.json` is JSON, and so is input that begins with a
 * brace.
 */
export async function readTemplateFile(path: string): Promise<TemplateFile> {
  const fromInput = path === STANDARD_INPUT;
  let text: string;
  try {
    text = fromInput ? await standardInput() : await readFile(path, 'utf8');
  } catch (error) {
    throw new CommandError(
      EXIT.usage,
      `the template cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const isJson = fromInput ? text.trimStart().startsWith('{') : extname(path).toLowerCase() === '.json';
  return { name: fromInput ? 'standard input' : path, text, format: isJson ? 'json' : 'yaml' };
}

/** Reads standard input to its end. */
async function standardInput(): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}
