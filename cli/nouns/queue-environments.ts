import type { Queue, QueueEnvironment } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import { ProblemError } from '../../client/problem.ts';
import { contextOf, type ClientContext, type ClientOptions } from '../client/client-command.ts';
import { changeConcurrently } from '../client/concurrent-change.ts';
import { allQueues, findGivenFarm, findIn } from '../client/lookup.ts';
import { entryArgument, confirmable, type ConfirmOptions } from '../grammar/verb-parts.ts';
import { verb, type Noun } from '../grammar/verb.ts';
import { findingsText } from '../openjd/findings-text.ts';
import { confirm } from '../options/confirm.ts';
import { integer } from '../options/integer.ts';
import { factsText } from '../output/facts.ts';
import { sorted, wholeListOptions, type WholeListOptions } from '../output/list-options.ts';
import { printListing } from '../output/listing.ts';
import { printResult } from '../output/output.ts';
import { readTemplateFile, type TemplateFile } from '../submission/template-file.ts';
import { CommandError, EXIT, PaintedError } from '../terminal/exit-codes.ts';
import type { Column } from '../terminal/table.ts';
import { printableLines } from '../terminal/terminal.ts';

interface QueueOptions extends ClientOptions {
  readonly farm?: string;
}

interface SetOptions extends QueueOptions {
  readonly file?: string;
  readonly priority?: number;
  readonly dryRun?: boolean;
  readonly overwrite?: boolean;
}

type Input = BodyOf<'post', '/queues/{id}/environments'>;

const COLUMNS: readonly Column<QueueEnvironment>[] = [
  { title: 'ID', value: ({ id }) => id, isId: true },
  { title: 'PRIO', value: ({ priority }) => String(priority), align: 'right' },
  { title: 'NAME', value: ({ name }) => name, shrinks: true },
  { title: 'FORMAT', value: ({ format }) => format, isWide: true },
  { title: 'CHANGED', value: (environment) => environment.updated_at, isTime: true },
];

const QUEUE = entryArgument('queue');
const ENVIRONMENT = entryArgument('environment');

async function queueOf({ client }: ClientContext, given: string, { farm }: QueueOptions): Promise<Queue> {
  return findIn(await allQueues(client, (await findGivenFarm(client, farm))?.id), given, 'queue');
}

const environmentsOf = ({ client }: ClientContext, { id }: Queue): Promise<readonly QueueEnvironment[]> =>
  client.call('get', '/queues/{id}/environments', { path: { id } });

async function list(given: string, options: QueueOptions & WholeListOptions): Promise<void> {
  const context = contextOf(options);
  const environments = await environmentsOf(context, await queueOf(context, given, options));
  // Without --sort they are in the order in which they are entered.
  const items = options.sort === undefined ? environments : sorted(environments, COLUMNS, options.sort);
  printListing(context, { what: 'environment', columns: COLUMNS, items, reply: items }, options);
}

async function show(given: string, environment: string, options: QueueOptions): Promise<void> {
  const context = contextOf(options);
  const found = findIn(
    await environmentsOf(context, await queueOf(context, given, options)),
    environment,
    'environment',
  );
  printResult(
    context,
    found,
    () => `${factsText(COLUMNS, found, context.terminal)}\n${printableLines(found.template.trimEnd())}\n`,
  );
}

async function add(given: string, path: string, options: SetOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const { id } = await queueOf(context, given, options);
  const file = await readTemplateFile(path);
  const body = { template: file.text, format: file.format, priority: options.priority };
  const query = { dry_run: options.dryRun };
  const made = await withFindings(file, terminal.errorColors, () =>
    client.call('post', '/queues/{id}/environments', { path: { id }, query, body }),
  );
  printResult(context, made, () => ('id' in made ? `${made.id}\n` : `environment ${made.name} is valid\n`));
}

async function set(queueName: string, environment: string, options: SetOptions): Promise<void> {
  const { file: path, priority } = options;
  if (path === undefined && priority === undefined)
    throw new CommandError(EXIT.usage, 'nothing to set; give --file or --priority');
  const context = contextOf(options);
  const { client, terminal } = context;
  const queue = await queueOf(context, queueName, options);
  const { id, name } = findIn(await environmentsOf(context, queue), environment, 'environment');
  const target = { id: queue.id, environmentId: id };
  const given = path === undefined ? null : await readTemplateFile(path);
  const changed = await changeConcurrently<QueueEnvironment>({
    what: `environment ${name}`,
    settings: new Set([
      ...(given === null ? [] : ['template', 'format']),
      ...(priority === undefined ? [] : ['priority']),
    ]),
    overwrite: options.overwrite === true,
    read: () => client.callWithHeaders('get', '/queues/{id}/environments/{environmentId}', { path: target }),
    write: (before, headers) => {
      const file = given ?? { name: before.name, text: before.template, format: before.format };
      const body: Input = {
        template: file.text,
        format: file.format,
        ...(priority !== undefined && { priority }),
      };
      return withFindings(file, terminal.errorColors, () =>
        client.call('put', '/queues/{id}/environments/{environmentId}', { path: target, headers, body }),
      );
    },
  });
  printResult(context, changed, () => factsText(COLUMNS, changed, terminal));
}

/** Makes a request with a template. If the service finds errors in it, the command error shows their lines. */
async function withFindings<Answer>(
  file: TemplateFile,
  colors: boolean,
  request: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await request();
  } catch (error) {
    if (!(error instanceof CommandError) || !(error.cause instanceof ProblemError)) throw error;
    const { status, errors } = error.cause;
    if (status !== 422 || errors.length === 0) throw error;
    throw new PaintedError(error.exitCode, findingsText(file, errors, colors), { cause: error.cause });
  }
}

async function remove(
  given: string,
  environment: string,
  options: QueueOptions & ConfirmOptions,
): Promise<void> {
  const context = contextOf(options);
  const { client, terminal } = context;
  const queue = await queueOf(context, given, options);
  const { id, name } = findIn(await environmentsOf(context, queue), environment, 'environment');
  await confirm(terminal, options.yes === true, () =>
    Promise.resolve({
      verb: 'delete',
      object: `environment ${name} of queue ${queue.name}`,
      consequences: ['Jobs that have been submitted keep it.'],
    }),
  );
  await client.call('delete', '/queues/{id}/environments/{environmentId}', {
    path: { id: queue.id, environmentId: id },
  });
  printResult(context, { id, name, status: 'deleted' }, () => `${name} deleted\n`);
}

/** `callsheet queues environment` */
export const queueEnvironments: Noun = {
  name: 'environment',
  about: 'List the environment templates that new jobs of a queue get, or add, change or delete one.',
  verbs: [
    verb<QueueOptions & WholeListOptions>({
      name: 'list',
      about: 'List the environments of a queue, in the order in which they are entered.',
      arguments: [QUEUE],
      options: (command) => wholeListOptions(command.option('--farm <farm>', 'farm of the queue')),
      run: ([queue = ''], options) => list(queue, options),
    }),
    verb<QueueOptions>({
      name: 'show',
      about: 'Show an environment of a queue with its template.',
      arguments: [QUEUE, ENVIRONMENT],
      options: (command) => command.option('--farm <farm>', 'farm of the queue'),
      run: ([queue = '', environment = ''], options) => show(queue, environment, options),
    }),
    verb<SetOptions>({
      name: 'add',
      about: 'Add an environment template to a queue, as the last one. Prints its id.',
      arguments: [
        QUEUE,
        { name: '<file>', help: 'file of the environment template, or - for standard input' },
      ],
      options: (command) =>
        command
          .option('--farm <farm>', 'farm of the queue')
          .option('--priority <n>', 'environments with a lower number are entered first, 0 to 10000', integer)
          .option('--dry-run', 'only check the template, with the other environments of the queue'),
      run: ([queue = '', file = ''], options) => add(queue, file, options),
    }),
    verb<SetOptions>({
      name: 'set',
      about:
        'Change the template or the priority of an environment. Jobs that have been submitted keep it as it was.',
      arguments: [QUEUE, ENVIRONMENT],
      options: (command) =>
        command
          .option('--farm <farm>', 'farm of the queue')
          .option('--file <file>', 'file of the new template, or - for standard input')
          .option('--priority <n>', 'environments with a lower number are entered first, 0 to 10000', integer)
          .option('--overwrite', 'also replace what another user changes at the same time'),
      run: ([queue = '', environment = ''], options) => set(queue, environment, options),
    }),
    verb<QueueOptions & ConfirmOptions>({
      name: 'delete',
      about: 'Delete an environment of a queue. Jobs that have been submitted keep it.',
      arguments: [QUEUE, ENVIRONMENT],
      options: (command) => confirmable(command.option('--farm <farm>', 'farm of the queue')),
      run: ([queue = '', environment = ''], options) => remove(queue, environment, options),
    }),
  ],
};
