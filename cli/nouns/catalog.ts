import type { Command } from 'commander';
import type { AnswerWithHeaders } from '../../client/rest.ts';
import { contextOf, type ClientContext, type ClientOptions } from '../client/client-command.ts';
import { changeConcurrently, type VersionHeaders } from '../client/concurrent-change.ts';
import { confirm } from '../options/confirm.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { findIn } from '../client/lookup.ts';
import type { RestClient } from '../client/rest-client.ts';
import { table, type Column } from '../terminal/table.ts';
import { oneLine } from '../terminal/terminal.ts';
import { verb, type Verb } from '../grammar/verb.ts';
import { factsText } from '../output/facts.ts';
import { sorted, wholeListOptions, type WholeListOptions } from '../output/list-options.ts';
import { printListing, shownColumns } from '../output/listing.ts';
import { printResult } from '../output/output.ts';
import { subjectOf } from '../output/subject.ts';
import { confirmable, entryArgument, type ConfirmOptions } from '../grammar/verb-parts.ts';

/** Options of catalog verbs, in addition to those of every client command. */
export interface CatalogOptions extends ClientOptions {
  readonly farm?: string;
}

/** Options of the verbs that change an entry. */
export interface ChangeOptions extends CatalogOptions {
  readonly overwrite?: boolean;
}

/** Adds the option of commands that read an object and write it. */
export const overwritable = (command: Command): Command =>
  command.option('--overwrite', 'also replace what another user changes at the same time');

interface Entry {
  readonly id: string;
  readonly name: string;
}

/** How the entries of a catalog are read, written and shown. `Input` is the body of a PUT request. */
export interface Catalog<Item extends Entry, Input extends object> {
  /** Noun for one entry, such as `farm`. */
  readonly what: string;
  /**
   * Columns of a list. Those of resources that the entries refer to show names. `withLoad`: the entries are those of
   * `listWithLoad`.
   */
  readonly columns: (client: RestClient, withLoad: boolean) => Promise<readonly Column<Item>[]>;
  readonly list: (client: RestClient, options: CatalogOptions) => Promise<readonly Item[]>;
  /** Reads the entries with the figures that only `list` and `show` print. Default: `list`. */
  readonly listWithLoad?: (client: RestClient, options: CatalogOptions) => Promise<readonly Item[]>;
  /** Returns a warning about an entry, which a list prints after the table. */
  readonly warning?: (item: Item) => string | undefined;
  /** Returns the input that leaves an entry unchanged. */
  readonly inputOf: (item: Item) => Input;
  readonly read: (client: RestClient, id: string) => Promise<AnswerWithHeaders<Item>>;
  readonly replace: (client: RestClient, id: string, input: Input, headers: VersionHeaders) => Promise<Item>;
  /** `force`: also delete a farm with connected workers. */
  readonly remove: (client: RestClient, id: string, force: boolean) => Promise<undefined>;
  /** Returns what is deleted with an entry and what stays, one sentence each. */
  readonly consequences: (client: RestClient, item: Item) => Promise<readonly string[]>;
}

/** Options of the verbs of one catalog. */
export interface CatalogTexts {
  /** Word for the argument that selects an entry, such as `queue`. */
  readonly argument: string;
  readonly list: string;
  readonly show: string;
  readonly delete: string;
  /** Adds options to `list`, `show` and `delete`. */
  readonly options?: (command: Command) => Command;
  /** Adds options to `delete`. */
  readonly deleteOptions?: (command: Command) => Command;
}

/** Returns the verbs that all catalogs have: `list`, `show` and `delete`. */
export function catalogVerbs<Item extends Entry, Input extends object>(
  catalog: Catalog<Item, Input>,
  texts: CatalogTexts,
): { readonly list: Verb; readonly show: Verb; readonly remove: Verb } {
  const options = texts.options ?? ((command) => command);
  const deleteOptions = texts.deleteOptions ?? ((command) => command);
  const argument = entryArgument(texts.argument, catalog.what);
  return {
    list: verb<CatalogOptions & WholeListOptions>({
      name: 'list',
      about: texts.list,
      options: (command) => wholeListOptions(options(command)),
      run: (_args, given) => list(catalog, given),
    }),
    show: verb<CatalogOptions>({
      name: 'show',
      about: texts.show,
      arguments: [argument],
      options,
      run: ([entry = ''], given) => show(catalog, entry, given),
    }),
    remove: verb<DeleteOptions>({
      name: 'delete',
      about: texts.delete,
      arguments: [argument],
      options: (command) => confirmable(deleteOptions(options(command))),
      run: ([entry = ''], given) => remove(catalog, entry, given),
    }),
  };
}

async function list<Item extends Entry, Input extends object>(
  catalog: Catalog<Item, Input>,
  options: CatalogOptions & WholeListOptions,
): Promise<void> {
  const context = contextOf(options);
  const { client, terminal, isForPrograms } = context;
  const items = await entriesWithLoad(catalog, client, options);
  const columns = isForPrograms && options.sort === undefined ? [] : await catalog.columns(client, true);
  const rows = sorted(items, columns, options.sort);
  printListing(context, { what: catalog.what, columns, items: rows, reply: rows }, options);
  if (!isForPrograms) printWarnings(catalog, items, terminal);
}

function printWarnings<Item extends Entry, Input extends object>(
  { what, warning: warningOf }: Catalog<Item, Input>,
  items: readonly Item[],
  terminal: ClientContext['terminal'],
): void {
  for (const item of items) {
    const warning = warningOf?.(item);
    if (warning !== undefined) terminal.err(`warning: ${what} ${oneLine(item.name)}: ${warning}\n`);
  }
}

const entriesWithLoad = <Item extends Entry, Input extends object>(
  { list: all, listWithLoad = all }: Catalog<Item, Input>,
  client: RestClient,
  options: CatalogOptions,
): Promise<readonly Item[]> => listWithLoad(client, options);

async function show<Item extends Entry, Input extends object>(
  catalog: Catalog<Item, Input>,
  given: string,
  options: CatalogOptions,
): Promise<void> {
  const { what, columns } = catalog;
  const context = contextOf(options);
  const item = findIn(await entriesWithLoad(catalog, context.client, options), given, what);
  const known = context.isForPrograms ? [] : await columns(context.client, true);
  printResult(context, item, () => factsText(known, item, context.terminal));
  if (!context.isForPrograms) printWarnings(catalog, [item], context.terminal);
}

/** Creates an entry and prints its id. */
export async function createEntry(
  options: ClientOptions,
  create: (context: ClientContext) => Promise<Entry>,
): Promise<void> {
  const context = contextOf(options);
  const item = await create(context);
  printResult(context, item, () => `${item.id}\n`);
}

/**
 * Changes the entry with the given id or name and prints it. Keeps fields whose change is undefined. `adjust` returns
 * changes that depend on the current entry. Throws a usage error if there is nothing to change, and `conflict` if another
 * user changes the same fields at the same time.
 */
export async function changeEntry<Item extends Entry, Input extends object>(
  { what, columns, list: all, inputOf, read, replace }: Catalog<Item, Input>,
  given: string,
  changes: { readonly [Field in keyof Input]?: Input[Field] | undefined },
  options: ChangeOptions,
  adjust: ((before: Item) => Partial<Input>) | null = null,
): Promise<void> {
  const changed = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  if (Object.keys(changed).length === 0 && adjust === null)
    throw new CommandError(EXIT.usage, 'nothing to set; give an option');
  const context = contextOf(options);
  const { client, terminal, output, isForPrograms } = context;
  const { id, name } = findIn(await all(client, options), given, what);
  const item = await changeConcurrently({
    what: `${what} ${name}`,
    settings: new Set(Object.keys(changed)),
    overwrite: options.overwrite === true,
    read: () => read(client, id),
    write: (before, headers) =>
      replace(client, id, { ...inputOf(before), ...changed, ...adjust?.(before) }, headers),
  });
  const known = isForPrograms ? [] : await columns(client, false);
  printResult(context, item, () => table(shownColumns(known, [item], output, undefined), [item], terminal));
}

interface DeleteOptions extends CatalogOptions, ConfirmOptions {
  readonly force?: boolean;
}

async function remove<Item extends Entry, Input extends object>(
  { what, list: all, remove: removeItem, consequences }: Catalog<Item, Input>,
  given: string,
  options: DeleteOptions,
): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const item = findIn(await all(client, options), given, what);
  const { id, name } = item;
  await confirm(terminal, options.yes === true, async () => ({
    verb: 'delete',
    object: `${what} ${name}`,
    consequences: await consequences(client, item),
  }));
  await removeItem(client, id, options.force === true);
  printResult(context, { id, status: 'removed' }, () => `${subjectOf(terminal, item)} deleted\n`);
}
