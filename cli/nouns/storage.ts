import type { Command } from 'commander';
import type { StorageLocation } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import { collectAssignment } from '../options/assignments.ts';
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

const STORAGE: Catalog<StorageLocation, BodyOf<'put', '/storage-locations/{id}'>> = {
  what: 'storage location',
  columns: async () => [
    { title: 'ID', value: (storage) => storage.id, isId: true },
    { title: 'NAME', value: (storage) => storage.name, shrinks: true },
    { title: 'TYPE', value: (storage) => storage.type },
    { title: 'ROOTS', value: rootsText, shrinks: true },
    { title: 'DESCRIPTION', value: (storage) => storage.description, shrinks: true },
    { title: 'CREATED', value: (storage) => storage.created_at, isTime: true, isWide: true },
  ],
  list: (client) => client.call('get', '/storage-locations'),
  inputOf: ({ name, description, roots }) => ({ name, description, roots }),
  read: (client, id) => client.callWithHeaders('get', '/storage-locations/{id}', { path: { id } }),
  replace: (client, id, body, headers) =>
    client.call('put', '/storage-locations/{id}', { path: { id }, body, headers }),
  remove: (client, id) => client.call('delete', '/storage-locations/{id}', { path: { id } }),
  consequences: async () => ['Tasks that start later are not mapped by its roots. The stored files stay.'],
};

function rootsText({ roots }: StorageLocation): string {
  return Object.entries(roots)
    .map(([place, root]) => `${place}=${root}`)
    .join(' ');
}

interface SetOptions extends ChangeOptions {
  readonly name?: string;
  readonly description?: string;
  readonly root: ReadonlyMap<string, string>;
  readonly dropRoot: readonly string[];
}

interface CreateOptions extends ClientOptions {
  readonly description: string;
  readonly root: ReadonlyMap<string, string>;
}

const withRoots = (command: Command): Command =>
  command.option(
    '--root <place=root>',
    'root there: an absolute path or s3://bucket[/prefix]; the place is a compute location, or default (may be repeated)',
    collectAssignment,
    new Map(),
  );

const collectName = (given: string, earlier: readonly string[]): readonly string[] => [...earlier, given];

const { list, show, remove } = catalogVerbs(STORAGE, {
  argument: 'storage',
  list: 'List storage locations with their roots.',
  show: 'Show a storage location.',
  delete: 'Delete a storage location. The stored files stay.',
});

/** `callsheet storage` */
export const storage: Noun = {
  name: 'storage',
  about: 'List storage locations, or create, change or delete one.',
  verbs: [
    list,
    show,
    verb<CreateOptions>({
      name: 'create',
      about: 'Create a storage location. Prints its id.',
      arguments: [{ name: '<name>', help: 'name of the location' }],
      options: (command) => withRoots(command.option('--description <text>', 'what is there', '')),
      run: ([name = ''], options) => {
        const { description, root } = options;
        const body = { name, description, roots: Object.fromEntries(root) };
        return createEntry(options, ({ client }) => client.call('post', '/storage-locations', { body }));
      },
    }),
    verb<SetOptions>({
      name: 'set',
      about: 'Change a storage location. Other settings stay.',
      arguments: [entryArgument('storage', 'storage location')],
      options: (command) =>
        overwritable(
          withRoots(
            command.option('--name <name>', 'new name').option('--description <text>', 'what is there'),
          ),
        ).option('--drop-root <place>', 'remove its root there (may be repeated)', collectName, []),
      run: ([given = ''], options) => {
        const { name, description, root, dropRoot } = options;
        const adjust = ({ roots }: StorageLocation) => {
          const kept = Object.entries(roots).filter(([place]) => !dropRoot.includes(place));
          return { roots: Object.fromEntries([...kept, ...root]) };
        };
        const changesRoots = root.size > 0 || dropRoot.length > 0;
        return changeEntry(STORAGE, given, { name, description }, options, changesRoots ? adjust : null);
      },
    }),
    remove,
  ],
};
