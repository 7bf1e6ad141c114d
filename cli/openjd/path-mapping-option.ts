import { readFile } from 'node:fs/promises';
import type { PathMapping } from '../../src/core/delivery/path-map.ts';
import { readPathMapping } from '../../src/core/delivery/read-path-mapping.ts';
import { CommandError, EXIT } from '../commands/exit-codes.ts';

const FILE_SCHEME = 'file://';
/** Whoever runs a job on the own machine may have any file of it copied. */
const WHOLE_MACHINE = '/';

/**
 * What `--path-mapping-rules` says: JSON of the format `pathmapping-1.0`, or a file of it, as a path or with `file://` before it. Throws a
 * CommandError that says what is wrong with it.
 */
export async function pathMappingOf(option: string | undefined): Promise<PathMapping> {
  const text = option === undefined ? '{}' : await textOf(option);
  const read = readPathMapping(text);
  if (!read.ok) throw new CommandError(EXIT.usage, `--path-mapping-rules: ${read.reason}`);
  const rules = read.value;
  return { rules, roots: [...new Set(rules.map(({ destination }) => destination)), WHOLE_MACHINE] };
}

async function textOf(option: string): Promise<string> {
  if (option.trimStart().startsWith('{')) return option;
  const path = option.startsWith(FILE_SCHEME) ? option.slice(FILE_SCHEME.length) : option;
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(EXIT.usage, `--path-mapping-rules: ${reason}`);
  }
}
