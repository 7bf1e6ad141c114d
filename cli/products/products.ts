import type { Command } from 'commander';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { confirm } from '../options/confirm.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { verb, type Noun } from '../grammar/verb.ts';
import { shortTime } from '../output/age.ts';
import { sorted, wholeListOptions, type WholeListOptions } from '../output/list-options.ts';
import { printListing } from '../output/listing.ts';
import { printResult } from '../output/output.ts';
import type { ApplyOptions } from './apply.ts';
import type { CheckOptions } from './check.ts';
import type { ExportOptions } from './export.ts';
import { namesText } from './product-names.ts';
import { describedText, PRODUCT_COLUMNS } from './product-text.ts';
import { confirmable, type ConfirmOptions } from '../grammar/verb-parts.ts';

interface ListOptions extends ClientOptions, WholeListOptions {
  readonly names?: boolean;
}

async function list(options: ListOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const products = await client.call('get', '/products', { query: { summary: true } });
  if (options.names === true) return terminal.out(namesText(products));
  const items = sorted(products, PRODUCT_COLUMNS, options.sort);
  printListing(context, { what: 'product', columns: PRODUCT_COLUMNS, items, reply: items }, options);
}

async function show(name: string, options: ClientOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const path = { name };
  const product = await client.call('get', '/products/{name}', { path });
  const parameters = await client.call('get', '/products/{name}/parameters', { path });
  const facts: readonly (readonly [string, string])[] = [
    ['name', product.name],
    ['title', product.title],
    ['description', product.description],
    ['category', product.category],
    ['version', product.version],
    ['source', product.source],
    ['revision', product.revision === undefined ? '' : String(product.revision)],
    ['updated', shortTime(product.updated_at)],
  ];
  printResult(context, { ...product, parameters }, () =>
    describedText({ facts, readme: product.readme, parameters }, terminal),
  );
}

async function remove(given: readonly string[], options: ClientOptions & ConfirmOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const names = [...new Set(given)];
  const all = await client.call('get', '/products', { query: { summary: true } });
  for (const name of names) {
    const found = all.find((product) => product.name === name);
    if (found === undefined)
      throw new CommandError(EXIT.notFound, `there is no product ${JSON.stringify(name)}`);
    if (found.source === 'builtin')
      throw new CommandError(EXIT.forbidden, `${name} is a built-in product and cannot be deleted`);
  }
  await confirm(terminal, options.yes === true, () =>
    Promise.resolve({
      verb: 'delete',
      object: `${names.length === 1 ? 'product' : 'products'} ${names.join(', ')}`,
      consequences: ['Former revisions are deleted too.', 'Jobs keep their copy of the template.'],
    }),
  );
  for (const name of names) await client.call('delete', '/products/{name}', { path: { name } });
  const removed = names.map((name) => ({ name, status: 'removed' }));
  printResult(context, removed, () => names.map((name) => `${name} deleted\n`).join(''));
}

const PRODUCTS = { name: '<product...>', help: 'names of products' };
const FILES = { name: '<file...>', help: 'definition files, or - for standard input' };

const withNames = (command: Command): Command =>
  wholeListOptions(command).option('--names', 'the same as -o name');

/** `callsheet products`. The code that reads and writes definition files is loaded on demand. */
export const products: Noun = {
  name: 'products',
  about: 'List products, or show, create, change, export or delete them.',
  verbs: [
    verb<ListOptions>({
      name: 'list',
      about: 'List products.',
      options: withNames,
      run: (_args, options) => list(options),
    }),
    verb<ClientOptions>({
      name: 'show',
      aliases: ['get'],
      about: 'Show a product with its readme and its parameters.',
      arguments: [{ name: '<product>', help: 'name of the product' }],
      run: ([name = ''], options) => show(name, options),
    }),
    verb<ApplyOptions>({
      name: 'apply',
      about: 'Create or replace the products of definition files (YAML).',
      arguments: [FILES],
      options: (command) =>
        command
          .option('--dry-run', 'store nothing; print what would change')
          .option('--overwrite', 'also replace what another user saves at the same time'),
      run: async (files, options) => (await import('./apply.ts')).applyFiles(files, options),
    }),
    verb<CheckOptions>({
      name: 'check',
      about: 'Check definition files on this machine, without a server.',
      arguments: [FILES],
      options: (command) =>
        command.option('--show', 'also print the readme and the parameters, as `products show` does'),
      run: async (files, options) => (await import('./check.ts')).checkFiles(files, options),
    }),
    verb<ExportOptions>({
      name: 'export',
      about: 'Write the definition files of products, which `products apply` reads.',
      arguments: [PRODUCTS],
      options: (command) =>
        command
          .option('--output <file>', 'file, or a folder for NAME.yaml; standard output if absent')
          .option('--force', 'replace existing files'),
      run: async (names, options) => (await import('./export.ts')).exportProducts(names, options),
    }),
    verb<ClientOptions & ConfirmOptions>({
      name: 'delete',
      about: 'Delete products. Jobs keep their copy of the template.',
      arguments: [PRODUCTS],
      options: confirmable,
      run: remove,
    }),
  ],
};
