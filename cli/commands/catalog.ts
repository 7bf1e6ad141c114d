import type { Command } from 'commander';
import { contextOf, printJson, type ClientOptions } from './client-command.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { findIn } from './lookup.ts';
import type { RestClient } from './rest-client.ts';
import { table, type Column } from './table.ts';

/** What commands of a catalog may have beside the options of every client command. */
export interface CatalogOptions extends ClientOptions {
  readonly farm?: string;
}

interface Entry {
  readonly id: string;
  readonly name: string;
}

/** A catalog: how its entries are read, written and shown. `Input` is what is put. */
export interface Catalog<Item extends Entry, Input extends object> {
  /** What one entry is called. */
  readonly what: string;
  readonly columns: readonly Column<Item>[];
  readonly list: (client: RestClient, options: CatalogOptions) => Promise<readonly Item[]>;
  /** What has to be put so that an entry stays as it is. */
  readonly inputOf: (item: Item) => Input;
  readonly replace: (client: RestClient, id: string, input: Input) => Promise<Item>;
  readonly remove: (client: RestClient, id: string) => Promise<undefined>;
}

/** The action that lists a catalog. */
export const listing =
  <Item extends Entry, Input extends object>({ list, columns }: Catalog<Item, Input>) =>
  async (options: CatalogOptions): Promise<void> => {
    const { client, terminal, json } = contextOf(options);
    const items = await list(client, options);
    if (json) printJson(terminal, items);
    else terminal.out(table(columns, items, terminal));
  };

/** Creates an entry and prints its id. */
export async function createEntry(
  command: Command,
  create: (client: RestClient) => Promise<Entry>,
): Promise<void> {
  const { client, terminal, json } = contextOf(command.optsWithGlobals<ClientOptions>());
  const item = await create(client);
  if (json) printJson(terminal, item);
  else terminal.out(`${item.id}\n`);
}

/**
 * Puts `changes` in place of what the entry of an id or name has, and prints it. Fields whose change is undefined stay.
 * `adjust` gives changes that depend on what the entry has. Wrong usage when nothing is to be changed.
 */
export async function changeEntry<Item extends Entry, Input extends object>(
  { what, columns, list, inputOf, replace }: Catalog<Item, Input>,
  given: string,
  changes: { readonly [Field in keyof Input]?: Input[Field] | undefined },
  command: Command,
  adjust: ((before: Item) => Partial<Input>) | null = null,
): Promise<void> {
  const changed = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  if (Object.keys(changed).length === 0 && adjust === null)
    throw new CommandError(EXIT.usage, 'nothing to set: give an option');
  const options = command.optsWithGlobals<CatalogOptions>();
  const { client, terminal, json } = contextOf(options);
  const before = findIn(await list(client, options), given, what);
  const item = await replace(client, before.id, { ...inputOf(before), ...changed, ...adjust?.(before) });
  if (json) printJson(terminal, item);
  else terminal.out(table(columns, [item], terminal));
}

/** The action that deletes the entry of an id or name. */
export const deletion =
  <Item extends Entry, Input extends object>({ what, list, remove }: Catalog<Item, Input>) =>
  async (given: string, _options: object, command: Command): Promise<void> => {
    const options = command.optsWithGlobals<CatalogOptions>();
    const { client, terminal, json } = contextOf(options);
    const { id } = findIn(await list(client, options), given, what);
    await remove(client, id);
    if (json) printJson(terminal, { id, status: 'removed' });
    else terminal.out(`${id} deleted\n`);
  };

/** How an argument that means an entry of a catalog is described. */
export const entryArgumentHelp = (what: string): string =>
  `the ${what}, by id, by the beginning of its id, or by name`;
