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
import type { ComputeLocation } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';

const LOCATIONS: Catalog<ComputeLocation, BodyOf<'put', '/compute-locations/{id}'>> = {
  what: 'compute location',
  columns: [
    { title: 'ID', value: (location) => location.id, isId: true },
    { title: 'NAME', value: (location) => location.name, shrinks: true },
    { title: 'WORKERS', value: (location) => String(location.worker_count), align: 'right' },
    { title: 'DESCRIPTION', value: (location) => location.description, shrinks: true },
  ],
  list: (client) => client.call('get', '/compute-locations'),
  inputOf: ({ name, description }) => ({ name, description }),
  replace: (client, id, body) => client.call('put', '/compute-locations/{id}', { path: { id }, body }),
  remove: (client, id) => client.call('delete', '/compute-locations/{id}', { path: { id } }),
  consequences: async () => [
    'Workers and tasks are not affected. It reappears when a worker that reports it registers.',
  ],
};

const create = (name: string, options: { readonly description: string }, command: Command) =>
  createEntry(command, (client) =>
    client.call('post', '/compute-locations', { body: { name, description: options.description } }),
  );

interface SetOptions {
  readonly name?: string;
  readonly description?: string;
}

const set = (given: string, { name, description }: SetOptions, command: Command) =>
  changeEntry(LOCATIONS, given, { name, description }, command);

/** `callsheet locations` */
export const locationsCommand = (): Command =>
  clientCommand(
    'locations',
    'List compute locations, or create, change or delete one. WORKERS counts those online.',
  )
    .action(listing(LOCATIONS))
    .addCommand(
      innerCommand('create', 'Create a compute location. Prints its id.')
        .argument('<name>', 'name of the location, as workers report it (worker.compute_location)')
        .option('--description <text>', 'where it is', '')
        .action(create),
    )
    .addCommand(
      innerCommand('set', 'Change a compute location. Other settings stay.')
        .argument('<location>', entryArgumentHelp('location'))
        .option('--name <name>', 'new name')
        .option('--description <text>', 'where it is')
        .action(set),
    )
    .addCommand(
      confirmable(
        innerCommand(
          'delete',
          'Delete a compute location. It reappears when a worker that reports it registers.',
        ),
      )
        .argument('<location>', entryArgumentHelp('location'))
        .action(deletion(LOCATIONS)),
    );
