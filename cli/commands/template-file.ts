import { extname } from 'node:path';
import type { TemplateFormat } from '../../src/core/records/job.ts';
import { readTextFile } from './text-file.ts';

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
  const { name, text, isStandardInput } = await readTextFile(path, 'template');
  const isJson = isStandardInput ? text.trimStart().startsWith('{') : extname(path).toLowerCase() === '.json';
  return { name, text, format: isJson ? 'json' : 'yaml' };
}
