import type { Command } from 'commander';
import type { ApiKey } from '../../client/resources.ts';
import {
  clientCommand,
  contextOf,
  innerCommand,
  printJson,
  shortTime,
  type ClientOptions,
} from './client-command.ts';
import { expiryOf, lifetime } from './expiry.ts';
import { findIn } from './lookup.ts';
import type { RestClient } from './rest-client.ts';
import { table, type Column } from './table.ts';
import { allUsers, findUser } from './users.ts';

interface KeysOptions extends ClientOptions {
  readonly user?: string;
}

const COLUMNS: readonly Column<ApiKey>[] = [
  { title: 'ID', value: (key) => key.id, isId: true },
  { title: 'NAME', value: (key) => key.name, shrinks: true },
  { title: 'KEY', value: (key) => `${key.prefix}…` },
  { title: 'CREATED', value: (key) => shortTime(key.created_at) },
  { title: 'LAST USED', value: (key) => shortTime(key.last_used_at ?? 'never') },
  { title: 'EXPIRES', value: (key) => shortTime(key.expires_at ?? 'never') },
];

/** Returns the id of the given account; undefined for that of the command. */
const userIdOf = async (client: RestClient, user: string | undefined): Promise<string | undefined> =>
  user === undefined ? undefined : findUser(await allUsers(client), user).id;

const keysOf = (client: RestClient, userId: string | undefined): Promise<readonly ApiKey[]> =>
  userId === undefined
    ? client.call('get', '/api-keys')
    : client.call('get', '/users/{id}/api-keys', { path: { id: userId } });

async function list(_options: object, command: Command): Promise<void> {
  const options = command.optsWithGlobals<KeysOptions>();
  const { client, terminal, json } = contextOf(options);
  const keys = await keysOf(client, await userIdOf(client, options.user));
  if (json) printJson(terminal, keys);
  else terminal.out(table(COLUMNS, keys, terminal));
}

interface CreateOptions extends ClientOptions {
  /** Milliseconds; null: the key does not expire. */
  readonly expires?: number;
}

async function create(name: string, _options: object, command: Command): Promise<void> {
  const options = command.optsWithGlobals<CreateOptions>();
  const { client, terminal, json } = contextOf(options);
  const expiresAt = expiryOf(options.expires ?? Infinity, Date.now());
  const made = await client.call('post', '/api-keys', { body: { name, expires_at: expiresAt } });
  if (json) printJson(terminal, made);
  else terminal.out(`${made.secret}\n`);
  terminal.err('Keep the key in a safe place: it is not shown again.\n');
}

async function revoke(given: string, _options: object, command: Command): Promise<void> {
  const options = command.optsWithGlobals<KeysOptions>();
  const { client, terminal, json } = contextOf(options);
  const userId = await userIdOf(client, options.user);
  const { id } = findIn(await keysOf(client, userId), given, 'API key');
  if (userId === undefined) await client.call('delete', '/api-keys/{id}', { path: { id } });
  else await client.call('delete', '/users/{id}/api-keys/{keyId}', { path: { id: userId, keyId: id } });
  if (json) printJson(terminal, { id, status: 'removed' });
  else terminal.out(`${id} revoked\n`);
}

const ofUser = (command: Command): Command =>
  command.option('--user <user>', 'the keys of this account, by id or by name; for administrators');

/** `callsheet keys` */
export const keysCommand = (): Command =>
  clientCommand('keys', 'List your API keys, or create or revoke one.')
    .addCommand(ofUser(innerCommand('list', 'List API keys.')).action(list), { isDefault: true })
    .helpCommand(false)
    .addCommand(
      innerCommand('create', 'Create an API key for your account. Prints it: it is not shown again.')
        .argument('<name>', 'what the key is for')
        .option(
          '--expires <time>',
          'lifetime, such as 30d or 12h; by default the key does not expire',
          lifetime,
        )
        .action(create),
    )
    .addCommand(
      ofUser(innerCommand('revoke', 'Revoke an API key. It fails at once.'))
        .argument('<key>', 'the key, by id, by the beginning of its id, or by name')
        .action(revoke),
    );
