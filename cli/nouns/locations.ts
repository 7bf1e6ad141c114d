import type { ComputeLocation } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import type { ClientOptions } from '../client/client-command.ts';
import { verb, type Noun } from '../grammar/verb.ts';
import {
  catalogVerbs,
  changeEntry,
  createEntry,
  overwritable,
  type Catalog,
  type ChangeOptions,
} from './catalog.ts';
import { entryArgument } from '../grammar/verb-parts.ts';

const LOCATIONS: Catalog<ComputeLocation, BodyOf<'put', '/compute-locations/{id}'>> = {
  what: 'compute location',
  columns: async () => [
    { title: 'ID', value: (location) => location.id, isId: true },
    { title: 'NAME', value: (location) => location.name, shrinks: true },
    { title: 'WORKERS', value: (location) => String(location.worker_count), align: 'right' },
    { title: 'DESCRIPTION', value: (location) => location.description, shrinks: true },
    { title: 'CREATED', value: (location) => location.created_at, isTime: true, isWide: true },
  ],
  list: (client) => client.call('get', '/compute-locations'),
  inputOf: ({ name, description }) => ({ name, description }),
  read: (client, id) => client.callWithHeaders('get', '/compute-locations/{id}', { path: { id } }),
  replace: (client, id, body, headers) =>
    client.call('put', '/compute-locations/{id}', { path: { id }, body, headers }),
  remove: (client, id) => client.call('delete', '/compute-locations/{id}', { path: { id } }),
  consequences: async () => [
    'Workers and tasks are not affected. It reappears when a worker that reports it registers.',
  ],
};

interface SetOptions extends ChangeOptions {
  readonly name?: string;
  readonly description?: string;
}

const { list, show, remove } = catalogVerbs(LOCATIONS, {
  argument: 'location',
  list: 'List compute locations. WORKERS counts those online.',
  show: 'Show a compute location.',
  delete: 'Delete a compute location. It reappears when a worker that reports it registers.',
});

/** `callsheet locations` */
export const locations: Noun = {
  name: 'locations',
  about: 'List compute locations, or create, change or delete one. WORKERS counts those online.',
  verbs: [
    list,
    show,
    verb<ClientOptions & { readonly description: string }>({
      name: 'create',
      about: 'Create a compute location. Prints its id.',
      arguments: [
        { name: '<name>', help: 'name of the location, as workers report it (worker.compute_location)' },
      ],
      options: (command) => command.option('--description <text>', 'where it is', ''),
      run: ([name = ''], options) =>
        createEntry(options, ({ client }) =>
          client.call('post', '/compute-locations', { body: { name, description: options.description } }),
        ),
    }),
    verb<SetOptions>({
      name: 'set',
      about: 'Change a compute location. Other settings stay.',
      arguments: [entryArgument('location')],
      options: (command) =>
        overwritable(
          command.option('--name <name>', 'new name').option('--description <text>', 'where it is'),
        ),
      run: ([location = ''], options) => {
        const { name, description } = options;
        return changeEntry(LOCATIONS, location, { name, description }, options);
      },
    }),
    remove,
  ],
};
