import type { Command } from 'commander';
import {
  changeEntry,
  confirmable,
  createEntry,
  deletion,
  listing,
  entryArgumentHelp,
  type Catalog,
} from './catalog.ts';
import { clientCommand, innerCommand } from './client-command.ts';
import { integer } from './integer.ts';
import { counted } from './confirm-deletion.ts';
import { allFarms, allQueues, allWorkers } from './lookup.ts';
import { retryChanges, retryOptions, type RetryOptions } from './retry-options.ts';
import type { Farm } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import type { RestClient } from './rest-client.ts';

type FarmInput = BodyOf<'put', '/farms/{id}'>;

/** Returns what the deletion of a farm deletes and keeps. */
async function consequencesOf(client: RestClient, { id }: Farm): Promise<readonly string[]> {
  const [queues, workers, jobs] = await Promise.all([
    allQueues(client, id),
    allWorkers(client, id),
    client.call('get', '/jobs', { query: { farm_id: id, limit: 1 } }),
  ]);
  const connected = workers.filter(({ status }) => status !== 'offline').length;
  return [
    `Its ${counted(queues.length, 'queue')} and ${counted(workers.length, 'worker')} are deleted too.`,
    `${counted(jobs.total, 'job')} of it, with tasks and logs, can still be read by id.`,
    ...(connected > 0
      ? [`${counted(connected, 'worker')} of it are online or disabled: use --force, or stop them first.`]
      : []),
  ];
}

const FARMS: Catalog<Farm, FarmInput> = {
  what: 'farm',
  columns: [
    { title: 'ID', value: (farm) => farm.id, isId: true },
    { title: 'NAME', value: (farm) => farm.name, shrinks: true },
    { title: 'DESCRIPTION', value: (farm) => farm.description, shrinks: true },
  ],
  list: allFarms,
  inputOf: ({ id: _id, created_at: _created, updated_at: _updated, ...input }) => input,
  replace: (client, id, body) => client.call('put', '/farms/{id}', { path: { id }, body }),
  remove: (client, id, force) =>
    client.call('delete', '/farms/{id}', { path: { id }, query: force ? { force } : {} }),
  consequences: consequencesOf,
};

/** Creates a farm and returns it as stored. */
export const createFarm = (client: RestClient, name: string, description: string): Promise<Farm> =>
  client.call('post', '/farms', { body: { name, description } });

const create = (name: string, options: { readonly description: string }, command: Command): Promise<void> =>
  createEntry(command, (client) => createFarm(client, name, options.description));

interface SetOptions extends RetryOptions {
  readonly name?: string;
  readonly description?: string;
  readonly maxConcurrentTasks?: number;
}

const set = (given: string, options: SetOptions, command: Command): Promise<void> => {
  const { name, description, maxConcurrentTasks } = options;
  const changes = { name, description, max_concurrent_tasks: maxConcurrentTasks, ...retryChanges(options) };
  return changeEntry(FARMS, given, changes, command);
};

/** `callsheet farms` */
export const farmsCommand = (): Command =>
  clientCommand('farms', 'List farms, or create, change or delete one.')
    .action(listing(FARMS))
    .addCommand(
      innerCommand('create', 'Create a farm. Prints its id.')
        .argument('<name>', 'name of the farm')
        .option('--description <text>', 'what the farm is for', '')
        .action(create),
    )
    .addCommand(
      retryOptions(
        innerCommand('set', 'Change a farm. Other settings stay.')
          .argument('<farm>', entryArgumentHelp('farm'))
          .option('--name <name>', 'new name')
          .option('--description <text>', 'what the farm is for')
          .option(
            '--max-concurrent-tasks <n>',
            'maximum number of concurrent tasks; 0 means no limit',
            integer,
          ),
      ).action(set),
    )
    .addCommand(
      confirmable(
        innerCommand('delete', 'Delete a farm whose jobs have all ended, with its queues and workers.'),
      )
        .argument('<farm>', entryArgumentHelp('farm'))
        .option('--force', 'also delete a farm with workers that are online or disabled')
        .action(deletion(FARMS)),
    );
