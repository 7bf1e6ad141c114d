import type { Command } from 'commander';
import { contextOf, printJson, type ClientOptions } from './client-command.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { findIn } from './lookup.ts';
import { table, type Column } from './table.ts';

/** A catalog whose list comes whole: where it is found and how it is shown. */
export interface Catalog<Item> {
  readonly path: string;
  /** What one entry is called. */
  readonly what: string;
  readonly columns: readonly Column<Item>[];
  /** Fields that the service refuses in what is put. */
  readonly responseOnly?: readonly (keyof Item & string)[];
}

interface Entry {
  readonly id: string;
  readonly name: string;
}

/** The action that lists a catalog. */
export const listing =
  <Item>({ path, columns }: Catalog<Item>) =>
  async (options: ClientOptions): Promise<void> => {
    const { client, terminal, json } = contextOf(options);
    const items = await client.get<readonly Item[]>(path);
    if (json) printJson(terminal, items);
    else terminal.out(table(columns, items, terminal));
  };

/** Creates an entry and prints its id. */
export async function createEntry<Item extends Entry>(
  { path }: Catalog<Item>,
  body: object,
  command: Command,
): Promise<void> {
  const { client, terminal, json } = contextOf(command.optsWithGlobals<ClientOptions>());
  const item = await client.postJson<Item>(path, body);
  if (json) printJson(terminal, item);
  else terminal.out(`${item?.id ?? ''}\n`);
}

type Changes<Item> = { readonly [Field in keyof Item]?: Item[Field] | undefined };

/**
 * Puts `changes` in place of what the entry of an id or name has, and prints it. Fields whose change is undefined stay.
 * `adjust` gives changes that depend on what the entry has. Wrong usage when nothing is to be changed.
 */
export async function changeEntry<Item extends Entry>(
  { path, what, columns, responseOnly = [] }: Catalog<Item>,
  given: string,
  changes: Changes<Item>,
  command: Command,
  adjust: ((before: Item) => Changes<Item>) | null = null,
): Promise<void> {
  const changed = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  if (Object.keys(changed).length === 0 && adjust === null)
    throw new CommandError(EXIT.usage, 'nothing to set: give an option');
  const { client, terminal, json } = contextOf(command.optsWithGlobals<ClientOptions>());
  const before = findIn(await client.get<readonly Item[]>(path), given, what);
  const whole = { ...before, ...changed, ...adjust?.(before) };
  const body = Object.fromEntries(Object.entries(whole).filter(([field]) => !isOneOf(responseOnly, field)));
  const item = await client.putJson<Item>(`${path}/${before.id}`, body);
  if (json) printJson(terminal, item);
  else terminal.out(table(columns, [item], terminal));
}

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name);

/** The action that deletes the entry of an id or name. */
export const deletion =
  <Item extends Entry>({ path, what }: Catalog<Item>) =>
  async (given: string, _options: object, command: Command): Promise<void> => {
    const { client, terminal, json } = contextOf(command.optsWithGlobals<ClientOptions>());
    const { id } = findIn(await client.get<readonly Item[]>(path), given, what);
    await client.delete(`${path}/${id}`);
    if (!json) terminal.out(`${id} deleted\n`);
  };
