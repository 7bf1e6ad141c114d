import { Option, type Command } from 'commander';
import {
  changeEntry,
  confirmable,
  createEntry,
  deletion,
  entryArgumentHelp,
  type Catalog,
  type CatalogOptions,
} from './catalog.ts';
import { clientCommand, contextOf, innerCommand, printJson } from './client-command.ts';
import { counted } from './confirm-deletion.ts';
import { integer } from './integer.ts';
import { allFarms, allQueues, findFarm, findGivenFarm } from './lookup.ts';
import { retryChanges, retryOptions, type RetryOptions } from './retry-options.ts';
import type { Queue } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import type { RestClient } from './rest-client.ts';
import { table, type Column } from './table.ts';
import { oneLine } from './terminal.ts';

const ID: Column<Queue> = { title: 'ID', value: (queue) => queue.id, isId: true };

const SETTINGS: readonly Column<Queue>[] = [
  { title: 'NAME', value: (queue) => queue.name, shrinks: true },
  { title: 'PRIO', value: (queue) => String(queue.priority), align: 'right' },
  { title: 'STATUS', value: (queue) => (queue.paused ? 'paused' : 'open'), isStatus: true },
];

const QUEUES: Catalog<Queue, BodyOf<'put', '/queues/{id}'>> = {
  what: 'queue',
  columns: [ID, ...SETTINGS],
  list: async (client, { farm }) => allQueues(client, (await findGivenFarm(client, farm))?.id),
  inputOf: ({ id: _id, created_at: _created, updated_at: _updated, isolation_warning: _warning, ...input }) =>
    input,
  replace: (client, id, body) => client.call('put', '/queues/{id}', { path: { id }, body }),
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

async function list(options: CatalogOptions): Promise<void> {
  const { client, terminal, json } = contextOf(options);
  const queues = await QUEUES.list(client, options);
  if (json) return printJson(terminal, queues);
  const names = new Map((await allFarms(client)).map(({ id, name }) => [id, name]));
  const farm: Column<Queue> = {
    title: 'FARM',
    value: (queue) => names.get(queue.farm_id) ?? queue.farm_id,
    shrinks: true,
  };
  terminal.out(table([ID, farm, ...SETTINGS], queues, terminal));
  for (const { name, isolation_warning: warning } of queues)
    if (warning !== undefined) terminal.err(`warning: queue ${oneLine(name)}: ${warning}\n`);
}

interface CreateOptions {
  readonly description: string;
  readonly priority: number;
}

const create = (farmGiven: string, name: string, options: CreateOptions, command: Command): Promise<void> =>
  createEntry(command, async (client) => {
    const farm = await findFarm(client, farmGiven);
    const { description, priority } = options;
    return createQueue(client, farm.id, name, { description, priority });
  });

interface SetOptions extends RetryOptions {
  readonly name?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly maxConcurrentTasks?: number;
  readonly paused?: 'true' | 'false';
}

const set = (given: string, options: SetOptions, command: Command): Promise<void> => {
  const { name, description, priority, maxConcurrentTasks, paused } = options;
  const changes = {
    name,
    description,
    priority,
    max_concurrent_tasks: maxConcurrentTasks,
    paused: paused === undefined ? undefined : paused === 'true',
    ...retryChanges(options),
  };
  return changeEntry(QUEUES, given, changes, command);
};

/** `callsheet queues` */
export const queuesCommand = (): Command =>
  clientCommand('queues', 'List queues, or create, change or delete one.')
    .option('--farm <farm>', 'only queues of this farm')
    .action(list)
    .addCommand(
      innerCommand('create', 'Create a queue. Prints its id.')
        .argument('<farm>', 'farm of the queue, by id, by the beginning of its id, or by name')
        .argument('<name>', 'name of the queue')
        .option('--description <text>', 'what the queue is for', '')
        .option('--priority <n>', 'priority of the queue', integer, 0)
        .action(create),
    )
    .addCommand(
      retryOptions(
        innerCommand('set', 'Change a queue. Other settings stay.')
          .argument('<queue>', entryArgumentHelp('queue'))
          .option('--name <name>', 'new name')
          .option('--description <text>', 'what the queue is for')
          .option('--priority <n>', 'priority of the queue', integer)
          .option(
            '--max-concurrent-tasks <n>',
            'maximum number of concurrent tasks; 0 means no limit',
            integer,
          )
          .addOption(
            new Option('--paused <yes>', 'start no new tasks of the queue').choices(['true', 'false']),
          ),
      ).action(set),
    )
    .addCommand(
      confirmable(innerCommand('delete', 'Delete a queue whose jobs have all ended.'))
        .argument('<queue>', entryArgumentHelp('queue'))
        .action(deletion(QUEUES)),
    );
