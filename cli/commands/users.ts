import { Option, type Command } from 'commander';
import type { Role, User } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import { askSecret, secretFromFile } from '../credentials/enter-secret.ts';
import { confirmable } from './catalog.ts';
import { ROLES } from './choices.ts';
import {
  clientCommand,
  contextOf,
  innerCommand,
  printJson,
  shortTime,
  type ClientContext,
  type ClientOptions,
} from './client-command.ts';
import { confirmDeletion } from './confirm-deletion.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { findIn } from './lookup.ts';
import type { RestClient } from './rest-client.ts';
import { table, type Column } from './table.ts';

const COLUMNS: readonly Column<User>[] = [
  { title: 'ID', value: (user) => user.id, isId: true },
  { title: 'NAME', value: (user) => user.username, shrinks: true },
  { title: 'ROLE', value: (user) => user.role },
  { title: 'STATUS', value: (user) => (user.disabled ? 'disabled' : 'enabled'), isStatus: true },
  { title: 'SOURCE', value: (user) => user.auth_source },
  { title: 'DISPLAY NAME', value: (user) => user.display_name, shrinks: true },
  { title: 'CREATED', value: (user) => shortTime(user.created_at) },
];

export const allUsers = (client: RestClient): Promise<readonly User[]> => client.call('get', '/users');

/** Returns the given account. Upper and lower case of names are the same. */
export function findUser(users: readonly User[], given: string): User {
  const named = users.map((user) => ({ ...user, name: user.username.toLowerCase() }));
  const isId = users.some(({ id }) => id === given);
  return findIn(named, isId ? given : given.toLowerCase(), 'user');
}

/** Prints an account. */
function print({ terminal, json }: ClientContext, user: User): void {
  if (json) printJson(terminal, user);
  else terminal.out(table(COLUMNS, [user], terminal));
}

async function list(_options: object, command: Command): Promise<void> {
  const { client, terminal, json } = contextOf(command.optsWithGlobals<ClientOptions>());
  const users = await allUsers(client);
  if (json) printJson(terminal, users);
  else terminal.out(table(COLUMNS, users, terminal));
}

interface PasswordOptions {
  readonly passwordFile?: string;
}

/** Returns a new password from the file, or from the user, who enters it twice. */
async function newPassword({ passwordFile }: PasswordOptions): Promise<string> {
  if (passwordFile !== undefined) return secretFromFile(passwordFile, 'the password');
  const instead = 'give --password-file';
  const password = await askSecret('New password: ', instead);
  if ((await askSecret('The same again: ', instead)) !== password)
    throw new CommandError(EXIT.usage, 'the two passwords are different');
  return password;
}

interface CreateOptions extends ClientOptions, PasswordOptions {
  readonly displayName?: string;
  readonly role?: Role;
}

async function create(username: string, _options: object, command: Command): Promise<void> {
  const options = command.optsWithGlobals<CreateOptions>();
  const context = contextOf(options);
  const { displayName, role } = options;
  const password = await newPassword(options);
  const body = { username, password, display_name: displayName, role };
  print(context, await context.client.call('post', '/users', { body }));
}

type Changes = BodyOf<'patch', '/users/{id}'>;

async function change(given: string, changes: Changes, command: Command): Promise<void> {
  const context = contextOf(command.optsWithGlobals<ClientOptions>());
  const { id } = findUser(await allUsers(context.client), given);
  print(context, await context.client.call('patch', '/users/{id}', { path: { id }, body: changes }));
}

async function update(given: string, { displayName, role }: CreateOptions, command: Command): Promise<void> {
  if (displayName === undefined && role === undefined)
    throw new CommandError(EXIT.usage, 'nothing to change; give an option');
  await change(given, { display_name: displayName, role }, command);
}

async function resetPassword(given: string, _options: object, command: Command): Promise<void> {
  const options = command.optsWithGlobals<ClientOptions & PasswordOptions>();
  const { client, terminal, json } = contextOf(options);
  const { id, username } = findUser(await allUsers(client), given);
  const password = await newPassword(options);
  await client.call('put', '/users/{id}/password', { path: { id }, body: { password } });
  if (json) printJson(terminal, { id, status: 'changed' });
  else
    terminal.err(`The password of ${username} is changed. All its sessions have ended; its API keys stay.\n`);
}

async function remove(given: string, _options: object, command: Command): Promise<void> {
  const options = command.optsWithGlobals<ClientOptions & { readonly yes?: boolean }>();
  const { client, terminal, json } = contextOf(options);
  const { id, username } = findUser(await allUsers(client), given);
  await confirmDeletion(terminal, options.yes === true, () =>
    Promise.resolve({
      object: `user ${username}`,
      consequences: ['Its sessions end and its API keys are deleted.', 'Its jobs stay.'],
    }),
  );
  await client.call('delete', '/users/{id}', { path: { id } });
  if (json) printJson(terminal, { id, status: 'removed' });
  else terminal.out(`${id} deleted\n`);
}

const ARGUMENT = ['<user>', 'the account, by id or by name'] as const;

const withPassword = (command: Command): Command =>
  command.option(
    '--password-file <file>',
    'file with the new password (- for standard input); otherwise it is asked for',
  );

const withAttributes = (command: Command): Command =>
  command
    .option('--display-name <text>', 'name of the person')
    .addOption(new Option('--role <role>', 'what the account may do').choices(ROLES));

/** Creates the command that disables or enables an account. */
const switchCommand = (name: 'disable' | 'enable', description: string): Command =>
  innerCommand(name, description)
    .argument(...ARGUMENT)
    .action((given: string, _options: object, command: Command) =>
      change(given, { disabled: name === 'disable' }, command),
    );

/** `callsheet users` */
export const usersCommand = (): Command =>
  clientCommand('users', 'List accounts, or create, change or delete one. For administrators.')
    .addCommand(innerCommand('list', 'List accounts.').action(list), { isDefault: true })
    .helpCommand(false)
    .addCommand(
      withAttributes(withPassword(innerCommand('create', 'Create a local account.')))
        .argument('<name>', 'name of the account')
        .action(create),
    )
    .addCommand(
      withAttributes(innerCommand('update', 'Change an account. Other attributes stay.'))
        .argument(...ARGUMENT)
        .action(update),
    )
    .addCommand(switchCommand('disable', 'Disable an account: its next request is refused.'))
    .addCommand(switchCommand('enable', 'Enable an account again.'))
    .addCommand(
      withPassword(innerCommand('reset-password', 'Set a new password and end all sessions of the account.'))
        .argument(...ARGUMENT)
        .action(resetPassword),
    )
    .addCommand(
      confirmable(innerCommand('delete', 'Delete an account with its sessions and API keys.'))
        .argument(...ARGUMENT)
        .action(remove),
    );
