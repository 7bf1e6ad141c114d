import { InvalidArgumentError } from 'commander';
import type { WorkerToken } from '../../client/resources.ts';
import { tags } from '../../src/core/config/value-type.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { confirm } from '../options/confirm.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { lifetime } from '../options/expiry.ts';
import { integer } from '../options/integer.ts';
import { allFarms, findGivenFarm, findIn } from '../client/lookup.ts';
import type { Column } from '../terminal/table.ts';
import { verb, type Noun } from '../grammar/verb.ts';
import { shortTime } from '../output/age.ts';
import { sorted, wholeListOptions, type WholeListOptions } from '../output/list-options.ts';
import { printListing } from '../output/listing.ts';
import { printResult } from '../output/output.ts';
import { confirmable, type ConfirmOptions } from '../grammar/verb-parts.ts';

interface CreateOptions extends ClientOptions {
  readonly farm?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly uses?: number;
  /** Milliseconds; Infinity for `never`. */
  readonly expires?: number;
}

const SECOND_MS = 1000;

/** Parses `name=value,...`. Throws a usage error for another text. */
function tagList(given: string): Readonly<Record<string, string>> {
  const parsed = tags().fromText(given);
  if (!parsed.ok) throw new InvalidArgumentError(parsed.wrong);
  return parsed.value;
}

async function create(options: CreateOptions): Promise<void> {
  if (options.expires === Infinity)
    throw new CommandError(EXIT.usage, '--expires: every worker token expires');
  const context = contextOf(options);
  const { client, terminal } = context;
  const farm = await findGivenFarm(client, options.farm);
  const made = await client.call('post', '/worker-tokens', {
    body: {
      ...(farm === undefined ? {} : { farm_id: farm.id }),
      ...(options.tags === undefined ? {} : { tags: options.tags }),
      ...(options.uses === undefined ? {} : { uses: options.uses }),
      ...(options.expires === undefined ? {} : { expires_in: `${Math.floor(options.expires / SECOND_MS)}s` }),
    },
  });
  printResult(context, made, () => `${made.token}\n`);
  const uses = made.uses === 1 ? 'one worker' : `${made.uses} workers`;
  terminal.err(
    `The token is not shown again. It admits ${uses} until ${shortTime(made.expires_at)}. On the worker's machine:\n` +
      '  callsheet worker --join TOKEN\n',
  );
}

async function list(options: ClientOptions & WholeListOptions): Promise<void> {
  const context = contextOf(options);
  const tokens = await context.client.call('get', '/worker-tokens');
  const farms = context.isForPrograms ? [] : await allFarms(context.client);
  const columns = columnsOf(new Map(farms.map(({ id, name }) => [id, name])));
  const items = sorted(tokens, columns, options.sort);
  printListing(context, { what: 'worker token', columns, items, reply: items }, options);
}

const columnsOf = (farms: ReadonlyMap<string, string>): readonly Column<WorkerToken>[] => [
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
  { title: 'LAST USED', value: (token) => token.last_used_at ?? 'never', isTime: true },
  { title: 'EXPIRES', value: (token) => token.expires_at, isTime: true },
];

async function revoke(given: string, options: ClientOptions & ConfirmOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const tokens = await client.call('get', '/worker-tokens');
  // A token has no name.
  const named = tokens.map((token) => ({ id: token.id, name: token.id }));
  const { id } = findIn(named, given, 'worker token');
  await confirm(terminal, options.yes === true, () =>
    Promise.resolve({
      verb: 'revoke',
      object: `worker token ${id}`,
      consequences: ['Workers that have joined with it keep their credentials.'],
    }),
  );
  await client.call('delete', '/worker-tokens/{id}', { path: { id } });
  printResult(context, { id, status: 'revoked' }, () => `${id} revoked\n`);
}

/** `callsheet workers token` */
export const workerTokens: Noun = {
  name: 'token',
  about: 'List the tokens with which workers join, or create or revoke one.',
  verbs: [
    verb<ClientOptions & WholeListOptions>({
      name: 'list',
      about: 'List the tokens that have not expired.',
      options: wholeListOptions,
      run: (_args, options) => list(options),
    }),
    verb<CreateOptions>({
      name: 'create',
      about: 'Create a token with which workers join. Prints it: it is not shown again.',
      options: (command) =>
        command
          .option('--farm <farm>', 'only for this farm; by default the worker selects it (worker.farm)')
          .option('--tags <name=value,...>', 'tags that the workers get, whatever they report', tagList)
          .option('--uses <n>', 'number of workers that can join with it, 1 to 10000 (1)', integer)
          .option('--expires <time>', 'lifetime, such as 30m, 24h or 7d, at most 90d (24h)', lifetime),
      run: (_args, options) => create(options),
    }),
    verb<ClientOptions & ConfirmOptions>({
      name: 'revoke',
      about: 'Revoke a token. Workers that have joined with it keep their credentials.',
      arguments: [{ name: '<token>', help: 'the token, by id or by the beginning of its id' }],
      options: confirmable,
      run: ([token = ''], options) => revoke(token, options),
    }),
  ],
};
