import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { TemplateFormat } from '../../core/records/job.ts';
import { CommandError, EXIT } from './exit-codes.ts';

const STANDARD_INPUT = '-';

/** A template as it was given on the command line. */
export interface TemplateFile {
  /** How messages call it. */
  readonly name: string;
  readonly text: string;
  readonly format: TemplateFormat;
}

/** Reads a template; `-` is standard input. A file ending in `.json` is JSON, and so is input that begins with a brace. */
export function readTemplateFile(path: string): TemplateFile {
  const fromInput = path === STANDARD_INPUT;
  let text: string;
  try {
    text = readFileSync(fromInput ? process.stdin.fd : path, 'utf8');
  } catch (error) {
    throw new CommandError(
      EXIT.usage,
      `the template cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const isJson = fromInput ? text.trimStart().startsWith('{') : extname(path).toLowerCase() === '.json';
  return { name: fromInput ? 'standard input' : path, text, format: isJson ? 'json' : 'yaml' };
}
