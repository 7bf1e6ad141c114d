import type { Command } from 'commander';
import { changeEntry, createEntry, deletion, listing, type Catalog } from './catalog.ts';
import { clientCommand, innerCommand } from './client-command.ts';
import type { ComputeLocation } from './resources.ts';

const LOCATIONS: Catalog<ComputeLocation> = {
  path: '/compute-locations',
  what: 'compute location',
  columns: [
    { title: 'ID', value: (location) => location.id },
    { title: 'NAME', value: (location) => location.name, shrinks: true },
    { title: 'WORKERS', value: (location) => String(location.worker_count), align: 'right' },
    { title: 'DESCRIPTION', value: (location) => location.description, shrinks: true },
  ],
};

const create = (name: string, options: { readonly description: string }, command: Command) =>
  createEntry(LOCATIONS, { name, description: options.description }, command);

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
    'List compute locations, create, change or delete one. WORKERS are those online.',
  )
    .action(listing(LOCATIONS))
    .addCommand(
      innerCommand('create', 'Create a compute location. Prints its id.')
        .argument('<name>', 'name of the location, as workers report it (worker.compute_location)')
        .option('--description <text>', 'where it is', '')
        .action(create),
    )
    .addCommand(
      innerCommand('set', 'Change a compute location. What is not given stays.')
        .argument('<location>', 'the location, by id or name')
        .option('--name <name>', 'new name')
        .option('--description <text>', 'where it is')
        .action(set),
    )
    .addCommand(
      innerCommand(
        'delete',
        'Delete a compute location. It comes back when a worker registers that reports it.',
      )
        .argument('<location>', 'the location, by id or name')
        .action(deletion(LOCATIONS)),
    );
