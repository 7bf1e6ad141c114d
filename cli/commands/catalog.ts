import type { Command } from 'commander';
import { contextOf, printJson, type ClientOptions } from './client-command.ts';
import { confirmDeletion } from './confirm-deletion.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { findIn } from './lookup.ts';
import type { RestClient } from './rest-client.ts';
import { table, type Column } from './table.ts';

/** Options of catalog commands, in addition to those of every client command. */
export interface CatalogOptions extends ClientOptions {
  readonly farm?: string;
}

interface Entry {
  readonly id: string;
  readonly name: string;
}

/** How the entries of a catalog are read, written and shown. `Input` is the body of a PUT request. */
export interface Catalog<Item extends Entry, Input extends object> {
  /** Noun for one entry, such as `farm`. */
  readonly what: string;
  readonly columns: readonly Column<Item>[];
  readonly list: (client: RestClient, options: CatalogOptions) => Promise<readonly Item[]>;
  /** Returns the input that leaves an entry unchanged. */
  readonly inputOf: (item: Item) => Input;
  readonly replace: (client: RestClient, id: string, input: Input) => Promise<Item>;
  /** `force`: also delete a farm with connected workers. */
  readonly remove: (client: RestClient, id: string, force: boolean) => Promise<undefined>;
  /** Returns what is deleted with an entry and what stays, one sentence each. */
  readonly consequences: (client: RestClient, item: Item) => Promise<readonly string[]>;
}

/** Returns the action that lists a catalog. */
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
 * Changes the entry with the given id or name and prints it. Keeps fields whose change is undefined. `adjust` returns
 * changes that depend on the current entry. Throws a usage error if there is nothing to change.
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
    throw new CommandError(EXIT.usage, 'nothing to set; give an option');
  const options = command.optsWithGlobals<CatalogOptions>();
  const { client, terminal, json } = contextOf(options);
  const before = findIn(await list(client, options), given, what);
  const item = await replace(client, before.id, { ...inputOf(before), ...changed, ...adjust?.(before) });
  if (json) printJson(terminal, item);
  else terminal.out(table(columns, [item], terminal));
}

interface DeletionOptions extends CatalogOptions {
  readonly yes?: boolean;
  readonly force?: boolean;
}

/** Adds the option that skips the confirmation of a deletion. */
export const confirmable = (command: Command): Command =>
  command.option('--yes', 'delete without asking for confirmation');

/** Returns the action that deletes the entry with the given id or name. */
export const deletion =
  <Item extends Entry, Input extends object>({ what, list, remove, consequences }: Catalog<Item, Input>) =>
  async (given: string, _options: object, command: Command): Promise<void> => {
    const options = command.optsWithGlobals<DeletionOptions>();
    const { client, terminal, json } = contextOf(options);
    const item = findIn(await list(client, options), given, what);
    const { id, name } = item;
    await confirmDeletion(terminal, options.yes === true, async () => ({
      object: `${what} ${name}`,
      consequences: await consequences(client, item),
    }));
    await remove(client, id, options.force === true);
    if (json) printJson(terminal, { id, status: 'removed' });
    else terminal.out(`${id} deleted\n`);
  };

/** Returns the help text of an argument that selects an entry. */
export const entryArgumentHelp = (what: string): string =>
  `the ${what}, by id, by the beginning of its id, or by name`;
