import { readFile } from 'node:fs/promises';
import type { PathMapping } from '../../src/core/delivery/path-map.ts';
import { readPathMapping } from '../../src/core/delivery/read-path-mapping.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';

const FILE_SCHEME = 'file://';
/** A local run may copy any file of the user. */
const WHOLE_MACHINE = '/';

/**
 * Parses `--path-mapping-rules`: JSON of the format `pathmapping-1.0`, or a path of a file with it, with or without
 * `file://`. Throws a CommandError that describes the error.
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
