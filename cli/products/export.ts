import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeDefinition } from '../../src/adapters/yaml/read-definition.ts';
import type { Product } from '../../client/resources.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { unwritable } from '../terminal/text-file.ts';
import { definitionOf } from './definition-of.ts';
import { isProductName } from './product-names.ts';

export interface ExportOptions extends ClientOptions {
  readonly output?: string;
  readonly force?: boolean;
}

/**
 * Writes the definition files of products: one product to standard output or to the file `output`; into the folder
 * `output` if it exists, ends with a slash, or several products are given, each as `NAME.yaml`, where a slash of the name
 * is a subfolder. Existing files are replaced with `force` only.
 */
export async function exportProducts(names: readonly string[], options: ExportOptions): Promise<void> {
  const { client, terminal } = contextOf(options);
  const { output } = options;
  if (output === undefined && names.length > 1)
    throw new CommandError(EXIT.usage, 'several products need --output with a folder');
  const products: Product[] = [];
  for (const name of names) products.push(await client.call('get', '/products/{name}', { path: { name } }));
  const isFolder = output !== undefined && (names.length > 1 || (await isFolderPath(output)));
  for (const product of products) {
    const text = writeDefinition(definitionOf(product));
    if (output === undefined) terminal.out(text);
    else {
      const path = isFolder ? join(output, fileNameOf(product)) : output;
      await writeNew(path, text, options.force === true);
      terminal.out(`${path}\n`);
    }
  }
}

/** The name comes from a server: one that is not valid must not leave the folder. */
function fileNameOf({ name }: Product): string {
  if (!isProductName(name))
    throw new CommandError(
      EXIT.failed,
      `the server sent an invalid name of a product: ${JSON.stringify(name)}`,
    );
  return `${name}.yaml`;
}

async function isFolderPath(path: string): Promise<boolean> {
  if (path.endsWith('/')) return true;
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw unwritable(path, error);
  }
}

async function writeNew(path: string, text: string, replaces: boolean): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag: replaces ? 'w' : 'wx' });
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      throw new CommandError(EXIT.conflict, `${path} exists; --force replaces it`);
    throw unwritable(path, error);
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined;
