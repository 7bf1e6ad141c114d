import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readDocument } from '../../src/adapters/yaml/read-document.ts';
import type { DocumentNode } from '../../src/openjd/primitives/document.ts';
import type { PointedError } from '../../src/openjd/primitives/pointed-error.ts';
import { findingsText } from '../openjd/findings-text.ts';
import { CommandError, EXIT, PaintedError } from '../terminal/exit-codes.ts';
import { readTextFile } from '../terminal/text-file.ts';

/** Files of a job bundle, without their extension. */
export type BundleFile = 'template' | 'parameter_values' | 'asset_references' | 'hooks';

const EXTENSIONS = ['yaml', 'yml', 'json'];

/**
 * Returns the path of a file of the bundle; null if it does not exist.
 *
 * @throws CommandError if it exists with several extensions.
 */
export function bundleFile(folder: string, name: BundleFile): string | null {
  const found = EXTENSIONS.map((extension) => join(folder, `${name}.${extension}`)).filter((path) =>
    existsSync(path),
  );
  const [path = null, another] = found;
  if (another !== undefined)
    throw new CommandError(EXIT.usage, `${folder}: contains both ${found.join(' and ')}; delete one`);
  return path;
}

/**
 * Reads a file of a bundle and passes its document to `check`.
 *
 * @throws CommandError with the line of each error that the reader or `check` finds.
 */
export async function readBundleFile(
  path: string,
  colors: boolean,
  check: (document: DocumentNode) => readonly PointedError[],
): Promise<void> {
  const file = await readTextFile(path, 'job bundle');
  const document = readDocument(file.text, path.endsWith('.json') ? 'json' : 'yaml');
  const errors = document.ok ? check(document.document) : document.errors;
  if (errors.length > 0) throw new PaintedError(EXIT.usage, findingsText(file, errors, colors));
}

/** Returns a member of a mapping; undefined if there is none. */
export const member = (node: DocumentNode | undefined, key: string): DocumentNode | undefined =>
  node?.kind === 'mapping' ? node.entries.find((entry) => entry.key === key)?.value : undefined;

/** Returns the items of a list; none if it is not a list. */
export const itemsOf = (node: DocumentNode | undefined): readonly DocumentNode[] =>
  node?.kind === 'sequence' ? node.items : [];

/** Returns a member that is text; undefined if there is none. */
export function textMember(node: DocumentNode, key: string): string | undefined {
  const found = member(node, key);
  return found?.kind === 'string' ? found.value : undefined;
}
