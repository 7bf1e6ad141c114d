import { Option, type Command } from 'commander';
import type { Role, User } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import { ROLES } from '../options/choices.ts';
import { contextOf, type ClientContext, type ClientOptions } from '../client/client-command.ts';
import { confirm } from '../options/confirm.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { findIn } from '../client/lookup.ts';
import type { RestClient } from '../client/rest-client.ts';
import { table, type Column } from '../terminal/table.ts';
import { askSecret, secretFromFile } from '../credentials/enter-secret.ts';
import { verb, type Noun, type Verb } from '../grammar/verb.ts';
import { factsText } from '../output/facts.ts';
import { sorted, wholeListOptions, type WholeListOptions } from '../output/list-options.ts';
import { printListing, shownColumns } from '../output/listing.ts';
import { printResult } from '../output/output.ts';
import { confirmable, type ConfirmOptions } from '../grammar/verb-parts.ts';

const COLUMNS: readonly Column<User>[] = [
  { title: 'ID', value: (user) => user.id, isId: true },
  { title: 'NAME', value: (user) => user.username, shrinks: true },
  { title: 'ROLE', value: (user) => user.role },
  { title: 'STATUS', value: (user) => (user.disabled ? 'disabled' : 'enabled'), isStatus: true },
  { title: 'SOURCE', value: (user) => user.auth_source },
  { title: 'DISPLAY NAME', value: (user) => user.display_name, shrinks: true },
  { title: 'CREATED', value: (user) => user.created_at, isTime: true },
];

export const allUsers = (client: RestClient): Promise<readonly User[]> => client.call('get', '/users');

/** Returns the given account. Upper and lower case of names are the same. */
export function findUser(users: readonly User[], given: string): User {
  const named = users.map((user) => ({ ...user, name: user.username.toLowerCase() }));
  const isId = users.some(({ id }) => id === given);
  const { id: found } = findIn(named, isId ? given : given.toLowerCase(), 'user');
  const user = users.find(({ id }) => id === found);
  if (user === undefined) throw new CommandError(EXIT.notFound, `there is no user ${JSON.stringify(given)}`);
  return user;
}

/** Prints an account after a change. */
const printUser = (context: ClientContext, user: User): void =>
  printResult(context, user, () =>
    table(shownColumns(COLUMNS, [user], context.output, undefined), [user], context.terminal),
  );

async function list(options: ClientOptions & WholeListOptions): Promise<void> {
  const context = contextOf(options);
  const users = sorted(await allUsers(context.client), COLUMNS, options.sort);
  printListing(context, { what: 'user', columns: COLUMNS, items: users, reply: users }, options);
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

async function create(username: string, options: CreateOptions): Promise<void> {
  const context = contextOf(options);
  const { displayName, role } = options;
  const password = await newPassword(options);
  const body = { username, password, display_name: displayName, role };
  printUser(context, await context.client.call('post', '/users', { body }));
}

type Changes = BodyOf<'patch', '/users/{id}'>;

async function change(given: string, changes: Changes, options: ClientOptions): Promise<void> {
  const context = contextOf(options);
  const { id } = findUser(await allUsers(context.client), given);
  printUser(context, await context.client.call('patch', '/users/{id}', { path: { id }, body: changes }));
}

async function set(given: string, options: CreateOptions): Promise<void> {
  const { displayName, role } = options;
  if (displayName === undefined && role === undefined)
    throw new CommandError(EXIT.usage, 'nothing to change; give an option');
  await change(given, { display_name: displayName, role }, options);
}

async function resetPassword(given: string, options: ClientOptions & PasswordOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal, isForPrograms } = context;
  const { id, username } = findUser(await allUsers(client), given);
  const password = await newPassword(options);
  await client.call('put', '/users/{id}/password', { path: { id }, body: { password } });
  if (isForPrograms) printResult(context, { id, status: 'changed' }, () => '');
  else
    terminal.err(`The password of ${username} is changed. All its sessions have ended; its API keys stay.\n`);
}

async function remove(given: string, options: ClientOptions & ConfirmOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const { id, username } = findUser(await allUsers(client), given);
  await confirm(terminal, options.yes === true, () =>
    Promise.resolve({
      verb: 'delete',
      object: `user ${username}`,
      consequences: ['Its sessions end and its API keys are deleted.', 'Its jobs stay.'],
    }),
  );
  await client.call('delete', '/users/{id}', { path: { id } });
  printResult(context, { id, status: 'removed' }, () => `${id} deleted\n`);
}

const ARGUMENT = { name: '<user>', help: 'the account, by id or by name' };

const withPassword = (command: Command): Command =>
  command.option(
    '--password-file <file>',
    'file with the new password (- for standard input); otherwise it is asked for',
  );

const withAttributes = (command: Command): Command =>
  command
    .option('--display-name <text>', 'name of the person')
    .addOption(new Option('--role <role>', 'what the account may do').choices(ROLES));

/** Returns the verb that disables or enables an account. */
const switching = (name: 'disable' | 'enable', about: string): Verb =>
  verb<ClientOptions>({
    name,
    about,
    arguments: [ARGUMENT],
    run: ([user = ''], options) => change(user, { disabled: name === 'disable' }, options),
  });

/** `callsheet users` */
export const users: Noun = {
  name: 'users',
  about: 'List accounts, or create, change or delete one. For administrators.',
  verbs: [
    verb<ClientOptions & WholeListOptions>({
      name: 'list',
      about: 'List accounts.',
      options: wholeListOptions,
      run: (_args, options) => list(options),
    }),
    verb<ClientOptions>({
      name: 'show',
      about: 'Show an account.',
      arguments: [ARGUMENT],
      run: async ([given = ''], options) => {
        const context = contextOf(options);
        const user = findUser(await allUsers(context.client), given);
        printResult(context, user, () => factsText(COLUMNS, user, context.terminal));
      },
    }),
    verb<CreateOptions>({
      name: 'create',
      about: 'Create a local account.',
      arguments: [{ name: '<name>', help: 'name of the account' }],
      options: (command) => withAttributes(withPassword(command)),
      run: ([name = ''], options) => create(name, options),
    }),
    verb<CreateOptions>({
      name: 'set',
      aliases: ['update'],
      about: 'Change an account. Other attributes stay.',
      arguments: [ARGUMENT],
      options: withAttributes,
      run: ([user = ''], options) => set(user, options),
    }),
    switching('disable', 'Disable an account: its next request is refused.'),
    switching('enable', 'Enable an account again.'),
    verb<ClientOptions & PasswordOptions>({
      name: 'reset-password',
      about: 'Set a new password and end all sessions of the account.',
      arguments: [ARGUMENT],
      options: withPassword,
      run: ([user = ''], options) => resetPassword(user, options),
    }),
    verb<ClientOptions & ConfirmOptions>({
      name: 'delete',
      about: 'Delete an account with its sessions and API keys.',
      arguments: [ARGUMENT],
      options: confirmable,
      run: ([user = ''], options) => remove(user, options),
    }),
  ],
};
