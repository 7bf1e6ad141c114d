import { extname } from 'node:path';
import type { TemplateFormat } from '../../src/core/records/job.ts';
import { readTextFile } from '../terminal/text-file.ts';

/** A template as given on the command line. */
export interface TemplateFile {
  /** Name of the template in messages. */
  readonly name: string;
  readonly text: string;
  readonly format: TemplateFormat;
}

/** Returns the format of a template without a file name: input that begins with a brace is JSON. */
const formatOfText = (text: string): TemplateFormat => (text.trimStart().startsWith('{') ? 'json' : 'yaml');

/**
 * Reads a template; `-` is standard input. A file that ends in `.json` is JSON, and so is input that begins with a
 * brace.
 */
export async function readTemplateFile(path: string): Promise<TemplateFile> {
  const { name, text, isStandardInput } = await readTextFile(path, 'template');
  if (isStandardInput) return { name, text, format: formatOfText(text) };
  return { name, text, format: extname(path).toLowerCase() === '.json' ? 'json' : 'yaml' };
}
