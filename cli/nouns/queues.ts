import { Option } from 'commander';
import type { JobSummary, Queue } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import { counted } from '../options/confirm.ts';
import { farmOf } from '../client/default-place.ts';
import { integer } from '../options/integer.ts';
import { allFarms, allQueues, allQueuesWithLoad, findGivenFarm } from '../client/lookup.ts';
import type { RestClient } from '../client/rest-client.ts';
import { contextOf } from '../client/client-command.ts';
import { RETRY_RULES_HELP, retryRulesChange } from '../options/retry-rules.ts';
import { namedCapsChanges, namedCapsOptions, type NamedCapsOptions } from '../options/named-caps.ts';
import { retryChanges, retryOptions, type RetryOptions } from '../options/retry-options.ts';
import { verb, type Noun, type Verb } from '../grammar/verb.ts';
import type { Column } from '../terminal/table.ts';
import {
  catalogVerbs,
  changeEntry,
  createEntry,
  overwritable,
  type Catalog,
  type CatalogOptions,
  type ChangeOptions,
} from './catalog.ts';
import { entryArgument } from '../grammar/verb-parts.ts';
import { queueEnvironments } from './queue-environments.ts';

/** Number of jobs that have not ended. */
const activeJobs = ({ pending, blocked, paused, running }: JobSummary): number =>
  pending + blocked + paused + running;

/** A figure of the load of a queue; empty for a server that does not report it. */
const loadColumn = (
  title: string,
  figure: (load: NonNullable<Queue['summary']>) => number,
): Column<Queue> => ({
  title,
  value: ({ summary }) => (summary === undefined ? '' : String(figure(summary))),
  align: 'right',
});

const LOAD_COLUMNS: readonly Column<Queue>[] = [
  loadColumn('JOBS', ({ jobs }) => activeJobs(jobs)),
  loadColumn('READY', ({ tasks_ready: ready }) => ready),
  loadColumn('TASKS', ({ tasks_live: live }) => live),
];

const QUEUES: Catalog<Queue, BodyOf<'put', '/queues/{id}'>> = {
  what: 'queue',
  columns: async (client, withLoad) => {
    const names = new Map((await allFarms(client)).map(({ id, name }) => [id, name]));
    return [
      { title: 'ID', value: (queue) => queue.id, isId: true },
      { title: 'FARM', value: (queue) => names.get(queue.farm_id) ?? queue.farm_id, shrinks: true },
      { title: 'NAME', value: (queue) => queue.name, shrinks: true },
      { title: 'PRIO', value: (queue) => String(queue.priority), align: 'right' },
      { title: 'STATUS', value: (queue) => (queue.paused ? 'paused' : 'open'), isStatus: true },
      ...(withLoad ? LOAD_COLUMNS : []),
      {
        title: 'MAX TASKS',
        value: (queue) => String(queue.max_concurrent_tasks || ''),
        align: 'right',
        isWide: true,
      },
      {
        title: 'RETRY RULES',
        value: (queue) => (queue.retry_rules ?? []).map(({ name }) => name).join(', '),
        shrinks: true,
        isWide: true,
      },
      {
        title: 'PREEMPTS AFTER',
        value: ({ preempt_after_seconds: after }) => (after === undefined ? '' : `${after} s`),
        align: 'right',
        isWide: true,
      },
      {
        title: 'PREEMPTIBLE',
        value: ({ preemptible = false }) => (preemptible ? 'yes' : ''),
        isWide: true,
      },
      {
        title: 'RUN AS',
        value: ({ run_as_user: user, run_as_group: group }) =>
          [user, group].filter((name) => name !== undefined && name !== null).join(':'),
        isWide: true,
      },
      { title: 'DESCRIPTION', value: (queue) => queue.description, shrinks: true, isWide: true },
      { title: 'CREATED', value: (queue) => queue.created_at, isTime: true },
    ];
  },
  list: async (client, { farm }) => allQueues(client, (await findGivenFarm(client, farm))?.id),
  listWithLoad: async (client, { farm }) =>
    allQueuesWithLoad(client, (await findGivenFarm(client, farm))?.id),
  warning: (queue) => queue.isolation_warning,
  inputOf: ({
    id: _id,
    created_at: _created,
    updated_at: _updated,
    isolation_warning: _warning,
    retry_rules_version: _version,
    preemption_version: _preemptionVersion,
    summary: _load,
    ...input
  }) => input,
  read: (client, id) => client.callWithHeaders('get', '/queues/{id}', { path: { id } }),
  replace: (client, id, body, headers) => client.call('put', '/queues/{id}', { path: { id }, body, headers }),
  remove: (client, id) => client.call('delete', '/queues/{id}', { path: { id } }),
  consequences: async (client, { id }) => {
    const { total } = await client.call('get', '/jobs', { query: { queue_id: id, limit: 1 } });
    return [`${counted(total, 'job')} of it, with tasks and logs, can still be read by id.`];
  },
};

/** Creates a queue in a farm and returns it as stored. */
export const createQueue = (
  client: RestClient,
  farmId: string,
  name: string,
  settings: { readonly description: string; readonly priority: number },
): Promise<Queue> => client.call('post', '/queues', { body: { farm_id: farmId, name, ...settings } });

/** Reads `--preempt-after`. The parser of options replaces null. */
const secondsOrNever = (text: string): number | 'never' => (text === 'never' ? text : integer(text));

interface CreateOptions extends CatalogOptions {
  readonly description: string;
  readonly priority: number;
}

interface SetOptions extends ChangeOptions, RetryOptions, NamedCapsOptions {
  readonly name?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly maxConcurrentTasks?: number;
  readonly paused?: 'true' | 'false';
  readonly retryRules?: string;
  readonly preemptAfter?: number | 'never';
  readonly preemptible?: 'true' | 'false';
}

const { list, show, remove } = catalogVerbs(QUEUES, {
  argument: 'queue',
  list: 'List queues. JOBS counts those that have not ended, TASKS those that are assigned or running.',
  show: 'Show a queue.',
  delete: 'Delete a queue whose jobs have all ended.',
  options: (command) => command.option('--farm <farm>', 'only queues of this farm'),
});

const pausing = (name: 'pause' | 'resume', about: string): Verb =>
  verb<CatalogOptions>({
    name,
    about,
    arguments: [entryArgument('queue')],
    options: (command) => command.option('--farm <farm>', 'farm of the queue'),
    run: ([queue = ''], options) =>
      changeEntry(QUEUES, queue, { paused: name === 'pause' }, { ...options, overwrite: true }),
  });

/** `callsheet queues` */
export const queues: Noun = {
  name: 'queues',
  about: 'List queues, or create, change or delete one.',
  verbs: [
    list,
    show,
    verb<CreateOptions>({
      name: 'create',
      about: 'Create a queue: create NAME, or create FARM NAME. Prints its id.',
      arguments: [
        { name: '<farm>', help: 'farm of the queue; leave it out for --farm or the default farm' },
        { name: '[name]', help: 'name of the queue' },
      ],
      options: (command) =>
        command
          .option('--farm <farm>', 'farm of the queue')
          .option('--description <text>', 'what the queue is for', '')
          .option('--priority <n>', 'priority of the queue', integer, 0),
      run: ([first = '', second], options) =>
        createEntry(options, async (context) => {
          const farm = await farmOf(context, second === undefined ? options.farm : first);
          const { description, priority } = options;
          return createQueue(context.client, farm.id, second ?? first, { description, priority });
        }),
    }),
    verb<SetOptions>({
      name: 'set',
      about: 'Change a queue. Other settings stay.',
      arguments: [entryArgument('queue')],
      options: (command) =>
        overwritable(
          retryOptions(
            namedCapsOptions(command)
              .option('--farm <farm>', 'farm of the queue')
              .option('--name <name>', 'new name')
              .option('--description <text>', 'what the queue is for')
              .option('--priority <n>', 'priority of the queue', integer)
              .option(
                '--max-concurrent-tasks <n>',
                'maximum number of concurrent tasks; 0 means no limit',
                integer,
              )
              .option('--retry-rules <file>', RETRY_RULES_HELP)
              .option(
                '--preempt-after <seconds>',
                'take back running tasks of preemptible queues for a task that has waited this long; never: take back none',
                secondsOrNever,
              )
              .addOption(
                new Option(
                  '--preemptible <yes>',
                  'let other queues take back running tasks of the queue',
                ).choices(['true', 'false']),
              )
              .addOption(
                new Option('--paused <yes>', 'start no new tasks of the queue').choices(['true', 'false']),
              ),
          ),
        ),
      run: async ([queue = ''], options) => {
        const { name, description, priority, maxConcurrentTasks, paused, preemptAfter, preemptible } =
          options;
        const changes = {
          name,
          description,
          priority,
          max_concurrent_tasks: maxConcurrentTasks,
          paused: paused === undefined ? undefined : paused === 'true',
          preempt_after_seconds: preemptAfter === 'never' ? null : preemptAfter,
          preemptible: preemptible === undefined ? undefined : preemptible === 'true',
          ...namedCapsChanges(options),
          ...retryChanges(options),
          retry_rules: await retryRulesChange(options.retryRules, contextOf(options).terminal),
        };
        return changeEntry(QUEUES, queue, changes, options);
      },
    }),
    pausing('pause', 'Pause a queue: running tasks continue, no new ones start.'),
    pausing('resume', 'Resume a paused queue.'),
    remove,
  ],
  nouns: [queueEnvironments],
};
