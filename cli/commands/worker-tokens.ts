import { InvalidArgumentError, type Command } from 'commander';
import type { WorkerToken } from '../../client/resources.ts';
import { tags } from '../../src/core/config/value-type.ts';
import { contextOf, innerCommand, printJson, shortTime, type ClientOptions } from './client-command.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { lifetime } from './expiry.ts';
import { integer } from './integer.ts';
import { allFarms, findGivenFarm, findIn } from './lookup.ts';
import { table, type Column } from './table.ts';

interface CreateOptions extends ClientOptions {
  readonly farm?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly uses?: number;
  /** Milliseconds; null for `never`. */
  readonly expires?: number;
}

const SECOND_MS = 1000;

/** Parses `name=value,...`. Throws a usage error for another text. */
function tagList(given: string): Readonly<Record<string, string>> {
  const parsed = tags().fromText(given);
  if (!parsed.ok) throw new InvalidArgumentError(parsed.wrong);
  return parsed.value;
}

async function create(_options: object, command: Command): Promise<void> {
  const options = command.optsWithGlobals<CreateOptions>();
  if (options.expires === Infinity)
    throw new CommandError(EXIT.usage, '--expires: every worker token expires');
  const { client, terminal, json } = contextOf(options);
  const farm = await findGivenFarm(client, options.farm);
  const made = await client.call('post', '/worker-tokens', {
    body: {
      ...(farm === undefined ? {} : { farm_id: farm.id }),
      ...(options.tags === undefined ? {} : { tags: options.tags }),
      ...(options.uses === undefined ? {} : { uses: options.uses }),
      ...(options.expires === undefined ? {} : { expires_in: `${Math.floor(options.expires / SECOND_MS)}s` }),
    },
  });
  if (json) printJson(terminal, made);
  else terminal.out(`${made.token}\n`);
  const uses = made.uses === 1 ? 'one worker' : `${made.uses} workers`;
  terminal.err(
    `The token is not shown again. It admits ${uses} until ${shortTime(made.expires_at)}. On the worker's machine:\n` +
      '  callsheet worker --join TOKEN\n',
  );
}

async function list(_options: object, command: Command): Promise<void> {
  const { client, terminal, json } = contextOf(command.optsWithGlobals<ClientOptions>());
  const tokens = await client.call('get', '/worker-tokens');
  if (json) return printJson(terminal, tokens);
  const farms = new Map((await allFarms(client)).map(({ id, name }) => [id, name]));
  terminal.out(table(columns(farms), tokens, terminal));
}

const columns = (farms: ReadonlyMap<string, string>): readonly Column<WorkerToken>[] => [
  { title: 'ID', value: (token) => token.id, isId: true },
  { title: 'STATUS', value: (token) => token.status.replace('_', ' ') },
  { title: 'FARM', value: ({ farm_id: id }) => (id === null ? 'any' : (farms.get(id) ?? id)), shrinks: true },
  { title: 'USES LEFT', value: (token) => `${token.uses_left}/${token.uses}`, align: 'right' },
  {
    title: 'TAGS',
    value: (token) =>
      Object.entries(token.tags)
        .map(([name, value]) => `${name}=${value}`)
        .join(','),
    shrinks: true,
  },
  { title: 'CREATED BY', value: (token) => token.created_by, shrinks: true },
  { title: 'LAST USED', value: (token) => shortTime(token.last_used_at ?? 'never') },
  { title: 'EXPIRES', value: (token) => shortTime(token.expires_at) },
];

async function revoke(given: string, _options: object, command: Command): Promise<void> {
  const { client, terminal, json } = contextOf(command.optsWithGlobals<ClientOptions>());
  const tokens = await client.call('get', '/worker-tokens');
  // A token has no name.
  const named = tokens.map((token) => ({ id: token.id, name: token.id }));
  const { id } = findIn(named, given, 'worker token');
  await client.call('delete', '/worker-tokens/{id}', { path: { id } });
  if (json) printJson(terminal, { id, status: 'revoked' });
  else terminal.out(`${id} revoked\n`);
}

/** `callsheet workers token` */
export const workerTokenCommand = (): Command =>
  innerCommand('token', 'List the tokens with which workers join, or create or revoke one.')
    .addCommand(innerCommand('list', 'List the tokens that have not expired.').action(list), {
      isDefault: true,
    })
    .helpCommand(false)
    .addCommand(
      innerCommand('create', 'Create a token with which workers join. Prints it: it is not shown again.')
        .option('--farm <farm>', 'only for this farm; by default the worker selects it (worker.farm)')
        .option('--tags <name=value,...>', 'tags that the workers get, whatever they report', tagList)
        .option('--uses <n>', 'number of workers that can join with it, 1 to 10000 (1)', integer)
        .option('--expires <time>', 'lifetime, such as 30m, 24h or 7d, at most 90d (24h)', lifetime)
        .action(create),
    )
    .addCommand(
      innerCommand('revoke', 'Revoke a token. Workers that have joined with it keep their credentials.')
        .argument('<token>', 'the token, by id or by the beginning of its id')
        .action(revoke),
    );
