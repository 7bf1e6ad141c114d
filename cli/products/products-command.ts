import type { Command } from 'commander';
import { confirmable } from '../commands/catalog.ts';
import {
  clientCommand,
  contextOf,
  innerCommand,
  printJson,
  shortTime,
  type ClientOptions,
} from '../commands/client-command.ts';
import { confirmDeletion } from '../commands/confirm-deletion.ts';
import { CommandError, EXIT } from '../commands/exit-codes.ts';
import { table } from '../commands/table.ts';
import { applyFiles, type ApplyOptions } from './apply.ts';
import { checkFiles, type CheckOptions } from './check.ts';
import { exportProducts, type ExportOptions } from './export.ts';
import { namesText } from './product-names.ts';
import { describedText, PRODUCT_COLUMNS } from './product-text.ts';

interface ListOptions extends ClientOptions {
  readonly names?: boolean;
}

async function list(_options: object, command: Command): Promise<void> {
  const options = command.optsWithGlobals<ListOptions>();
  const { client, terminal, json } = contextOf(options);
  const products = await client.call('get', '/products', { query: { summary: true } });
  if (json) printJson(terminal, products);
  else if (options.names === true) terminal.out(namesText(products));
  else terminal.out(table(PRODUCT_COLUMNS, products, terminal));
}

async function get(name: string, _options: object, command: Command): Promise<void> {
  const { client, terminal, json } = contextOf(command.optsWithGlobals<ClientOptions>());
  const path = { name };
  const product = await client.call('get', '/products/{name}', { path });
  const parameters = await client.call('get', '/products/{name}/parameters', { path });
  if (json) return printJson(terminal, { ...product, parameters });
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
  terminal.out(describedText({ facts, readme: product.readme, parameters }, terminal));
}

interface DeletionOptions extends ClientOptions {
  readonly yes?: boolean;
}

async function remove(given: readonly string[], _options: object, command: Command): Promise<void> {
  const options = command.optsWithGlobals<DeletionOptions>();
  const { client, terminal, json } = contextOf(options);
  const names = [...new Set(given)];
  const all = await client.call('get', '/products', { query: { summary: true } });
  for (const name of names) {
    const found = all.find((product) => product.name === name);
    if (found === undefined)
      throw new CommandError(EXIT.notFound, `there is no product ${JSON.stringify(name)}`);
    if (found.source === 'builtin')
      throw new CommandError(EXIT.forbidden, `${name} is a built-in product and cannot be deleted`);
  }
  await confirmDeletion(terminal, options.yes === true, () =>
    Promise.resolve({
      object: `${names.length === 1 ? 'product' : 'products'} ${names.join(', ')}`,
      consequences: ['Former revisions are deleted too.', 'Jobs keep their copy of the template.'],
    }),
  );
  for (const name of names) {
    await client.call('delete', '/products/{name}', { path: { name } });
    if (!json) terminal.out(`${name} deleted\n`);
  }
  if (json)
    printJson(
      terminal,
      names.map((name) => ({ name, status: 'removed' })),
    );
}

const innerOptions = <Options extends object>(command: Command): Options =>
  command.optsWithGlobals<Options>();

/** `callsheet products` */
export const productsCommand = (): Command =>
  clientCommand('products', 'List products, or show, create, change, export or delete them.')
    .addCommand(
      innerCommand('list', 'List products.')
        .option('--names', 'print only the names, one per line')
        .action(list),
      { isDefault: true },
    )
    .helpCommand(false)
    .addCommand(
      innerCommand('get', 'Show a product with its readme and its parameters.')
        .argument('<product>', 'name of the product')
        .action(get),
    )
    .addCommand(
      innerCommand('apply', 'Create or replace the products of definition files (YAML).')
        .argument('<file...>', 'definition files, or - for standard input')
        .option('--dry-run', 'store nothing; print what would change')
        .action((paths: readonly string[], _options: object, command: Command) =>
          applyFiles(paths, innerOptions<ApplyOptions>(command)),
        ),
    )
    .addCommand(
      innerCommand('check', 'Check definition files on this machine, without a server.')
        .argument('<file...>', 'definition files, or - for standard input')
        .option('--show', 'also print the readme and the parameters, as `products get` does')
        .action((paths: readonly string[], _options: object, command: Command) =>
          checkFiles(paths, innerOptions<CheckOptions>(command)),
        ),
    )
    .addCommand(
      innerCommand('export', 'Write the definition files of products, which `products apply` reads.')
        .argument('<product...>', 'names of products')
        .option('--output <file>', 'file, or a folder for NAME.yaml; standard output if absent')
        .option('--force', 'replace existing files')
        .action((names: readonly string[], _options: object, command: Command) =>
          exportProducts(names, innerOptions<ExportOptions>(command)),
        ),
    )
    .addCommand(
      confirmable(innerCommand('delete', 'Delete products. Jobs keep their copy of the template.'))
        .argument('<product...>', 'names of products')
        .action(remove),
    );
