import type { Command } from 'commander';
import { changeEntry, createEntry, deletion, listing, entryArgumentHelp, type Catalog } from './catalog.ts';
import { clientCommand, innerCommand } from './client-command.ts';
import { integer } from './integer.ts';
import { allFarms } from './lookup.ts';
import { retryChanges, retryOptions, type RetryOptions } from './retry-options.ts';
import type { Farm } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import type { RestClient } from './rest-client.ts';

type FarmInput = BodyOf<'put', '/farms/{id}'>;

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
  remove: (client, id) => client.call('delete', '/farms/{id}', { path: { id } }),
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
      innerCommand('delete', 'Delete a farm whose jobs have all ended.')
        .argument('<farm>', entryArgumentHelp('farm'))
        .action(deletion(FARMS)),
    );
