import { confirm } from '../options/confirm.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { checkUrl } from '../client/rest-client.ts';
import type { Column } from '../terminal/table.ts';
import { processTerminal } from '../terminal/terminal.ts';
import { secretFromFile } from '../credentials/enter-secret.ts';
import {
  contextsPath,
  storeContexts,
  storedContexts,
  type StoredContext,
} from '../credentials/stored-contexts.ts';
import { verb, type Noun, type VerbArgument } from '../grammar/verb.ts';
import { sorted, wholeListOptions, type WholeListOptions } from '../output/list-options.ts';
import { printListing } from '../output/listing.ts';
import { formatOption, outputOf, type OutputOptions } from '../output/output.ts';
import { confirmable, type ConfirmOptions } from '../grammar/verb-parts.ts';

/** A context as the list shows it. The key is not printed. */
interface ListedContext {
  readonly name: string;
  readonly current: boolean;
  readonly url: string;
  readonly key: 'own' | 'login';
  readonly farm: string | null;
  readonly queue: string | null;
}

const COLUMNS: readonly Column<ListedContext>[] = [
  { title: 'NAME', value: ({ name }) => name },
  { title: 'IN USE', value: ({ current }) => (current ? 'yes' : '') },
  { title: 'SERVER', value: ({ url }) => url, shrinks: true },
  { title: 'FARM', value: ({ farm }) => farm ?? '', shrinks: true },
  { title: 'QUEUE', value: ({ queue }) => queue ?? '', shrinks: true },
  { title: 'KEY', value: ({ key }) => key },
];

interface AddOptions {
  readonly url?: string;
  readonly farm?: string;
  readonly queue?: string;
  readonly withApiKey?: boolean;
}

const NAME_FORM = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Adds a context or replaces it. The first one is used from then on. */
function add(name: string, { url, farm, queue, withApiKey }: AddOptions): void {
  if (!NAME_FORM.test(name))
    throw new CommandError(
      EXIT.usage,
      `invalid name ${JSON.stringify(name)}: use up to 100 letters, digits, dots, dashes and underscores`,
    );
  const { current, contexts } = storedContexts();
  const before = contexts.get(name);
  const address = url ?? before?.url;
  if (address === undefined) throw new CommandError(EXIT.usage, 'give --url with the address of the server');
  checkUrl(address);
  const context: StoredContext = {
    url: address,
    // A key belongs to one address.
    key:
      withApiKey === true ? secretFromFile('-', 'an API key') : before?.url === address ? before.key : null,
    farm: farm ?? before?.farm ?? null,
    queue: queue ?? before?.queue ?? null,
  };
  const inUse = current ?? name;
  storeContexts({ current: inUse, contexts: new Map([...contexts, [name, context]]) });
  const verbDone = before === undefined ? 'added' : 'replaced';
  const use = inUse === name ? 'It is in use.' : `callsheet context use ${name} selects it.`;
  processTerminal().err(`Context ${name} is ${verbDone} in ${contextsPath()}. ${use}\n`);
}

function find(name: string): ReturnType<typeof storedContexts> {
  const stored = storedContexts();
  if (stored.contexts.has(name)) return stored;
  const known = [...stored.contexts.keys()].join(', ') || 'none';
  throw new CommandError(
    EXIT.notFound,
    `there is no context ${JSON.stringify(name)}; the contexts are: ${known}`,
  );
}

function list(options: OutputOptions & WholeListOptions): void {
  const { current, contexts } = storedContexts();
  const all = [...contexts].map(([name, { url, key, farm, queue }]): ListedContext => ({
    name,
    current: name === current,
    url,
    key: key === null ? 'login' : 'own',
    farm,
    queue,
  }));
  const rows = sorted(all, COLUMNS, options.sort);
  const shown = { terminal: processTerminal(), output: outputOf(options) };
  printListing(shown, { what: 'context', columns: COLUMNS, items: rows, reply: rows }, options);
}

async function remove(name: string, { yes }: ConfirmOptions): Promise<void> {
  const { current, contexts } = find(name);
  const terminal = processTerminal();
  await confirm(terminal, yes === true, () =>
    Promise.resolve({ verb: 'delete', object: `context ${name}`, consequences: ['Its key is not revoked.'] }),
  );
  const kept = new Map([...contexts].filter(([each]) => each !== name));
  storeContexts({ current: current === name ? null : current, contexts: kept });
  terminal.err(`Context ${name} is deleted.\n`);
}

const NAME: VerbArgument = { name: '<name>', help: 'name of the context' };

/** `callsheet context` */
export const contextNoun: Noun = {
  name: 'context',
  about: 'Store servers with a key and a default farm and queue, and select the one that commands use.',
  isLocal: true,
  verbs: [
    verb<OutputOptions & WholeListOptions>({
      name: 'list',
      about: 'List the contexts of this machine.',
      options: (command) => wholeListOptions(formatOption(command)),
      run: async (_args, options) => list(options),
    }),
    verb<AddOptions>({
      name: 'add',
      about: 'Add or replace a context. The first one is in use at once.',
      arguments: [NAME],
      options: (command) =>
        command
          .option('--url <address>', 'address of the server')
          .option('--farm <farm>', 'default farm')
          .option('--queue <queue>', 'default queue')
          .option(
            '--with-api-key',
            'store an API key, read from standard input, instead of using that of login',
          ),
      run: async ([name = ''], options) => add(name, options),
    }),
    verb<object>({
      name: 'use',
      about: 'Use a context in the following commands.',
      arguments: [NAME],
      run: async ([name = '']) => {
        const { contexts } = find(name);
        storeContexts({ current: name, contexts });
        processTerminal().err(`Commands use the context ${name}: ${contexts.get(name)?.url ?? ''}\n`);
      },
    }),
    verb<ConfirmOptions>({
      name: 'delete',
      about: 'Delete a context.',
      arguments: [NAME],
      options: confirmable,
      run: ([name = ''], options) => remove(name, options),
    }),
  ],
};
