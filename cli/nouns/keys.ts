import type { Command } from 'commander';
import type { ApiKey } from '../../client/resources.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { confirm } from '../options/confirm.ts';
import { expiryOf, lifetime } from '../options/expiry.ts';
import { findIn } from '../client/lookup.ts';
import type { RestClient } from '../client/rest-client.ts';
import type { Column } from '../terminal/table.ts';
import { verb, type Noun } from '../grammar/verb.ts';
import { sorted, wholeListOptions, type WholeListOptions } from '../output/list-options.ts';
import { printListing } from '../output/listing.ts';
import { printResult } from '../output/output.ts';
import { allUsers, findUser } from './users.ts';
import { confirmable, entryArgument, type ConfirmOptions } from '../grammar/verb-parts.ts';

interface KeysOptions extends ClientOptions {
  readonly user?: string;
}

const COLUMNS: readonly Column<ApiKey>[] = [
  { title: 'ID', value: (key) => key.id, isId: true },
  { title: 'NAME', value: (key) => key.name, shrinks: true },
  { title: 'KEY', value: (key) => `${key.prefix}…` },
  { title: 'CREATED', value: (key) => key.created_at, isTime: true },
  { title: 'LAST USED', value: (key) => key.last_used_at ?? 'never', isTime: true },
  { title: 'EXPIRES', value: (key) => key.expires_at ?? 'never', isTime: true },
];

/** Returns the id of the given account; undefined for that of the command. */
const userIdOf = async (client: RestClient, user: string | undefined): Promise<string | undefined> =>
  user === undefined ? undefined : findUser(await allUsers(client), user).id;

const keysOf = (client: RestClient, userId: string | undefined): Promise<readonly ApiKey[]> =>
  userId === undefined
    ? client.call('get', '/api-keys')
    : client.call('get', '/users/{id}/api-keys', { path: { id: userId } });

async function list(options: KeysOptions & WholeListOptions): Promise<void> {
  const context = contextOf(options);
  const { client } = context;
  const all = sorted(await keysOf(client, await userIdOf(client, options.user)), COLUMNS, options.sort);
  printListing(context, { what: 'API key', columns: COLUMNS, items: all, reply: all }, options);
}

interface CreateOptions extends ClientOptions {
  /** Milliseconds; Infinity: the key does not expire. */
  readonly expires?: number;
}

async function create(name: string, options: CreateOptions): Promise<void> {
  const context = contextOf(options);
  const expiresAt = expiryOf(options.expires ?? Infinity, Date.now());
  const made = await context.client.call('post', '/api-keys', { body: { name, expires_at: expiresAt } });
  printResult(context, made, () => `${made.secret}\n`);
  context.terminal.err('Keep the key in a safe place: it is not shown again.\n');
}

async function revoke(given: string, options: KeysOptions & ConfirmOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const userId = await userIdOf(client, options.user);
  const { id, name } = findIn(await keysOf(client, userId), given, 'API key');
  await confirm(terminal, options.yes === true, () =>
    Promise.resolve({
      verb: 'revoke',
      object: `API key ${name}`,
      consequences: ['Programs that use it are refused at once.'],
    }),
  );
  if (userId === undefined) await client.call('delete', '/api-keys/{id}', { path: { id } });
  else await client.call('delete', '/users/{id}/api-keys/{keyId}', { path: { id: userId, keyId: id } });
  printResult(context, { id, status: 'removed' }, () => `${id} revoked\n`);
}

const ofUser = (command: Command): Command =>
  command.option('--user <user>', 'the keys of this account, by id or by name; for administrators');

/** `callsheet keys` */
export const keys: Noun = {
  name: 'keys',
  about: 'List your API keys, or create or revoke one.',
  verbs: [
    verb<KeysOptions & WholeListOptions>({
      name: 'list',
      about: 'List API keys.',
      options: (command) => wholeListOptions(ofUser(command)),
      run: (_args, options) => list(options),
    }),
    verb<CreateOptions>({
      name: 'create',
      about: 'Create an API key for your account. Prints it: it is not shown again.',
      arguments: [{ name: '<name>', help: 'what the key is for' }],
      options: (command) =>
        command.option(
          '--expires <time>',
          'lifetime, such as 30d or 12h; by default the key does not expire',
          lifetime,
        ),
      run: ([name = ''], options) => create(name, options),
    }),
    verb<KeysOptions & ConfirmOptions>({
      name: 'revoke',
      about: 'Revoke an API key. It fails at once.',
      arguments: [entryArgument('key')],
      options: (command) => confirmable(ofUser(command)),
      run: ([key = ''], options) => revoke(key, options),
    }),
  ],
};
