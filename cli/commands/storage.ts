import type { Command } from 'commander';
import { collectAssignment } from './assignments.ts';
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
import type { StorageLocation } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';

type Roots = ReadonlyMap<string, string>;

const STORAGE: Catalog<StorageLocation, BodyOf<'put', '/storage-locations/{id}'>> = {
  what: 'storage location',
  columns: [
    { title: 'ID', value: (storage) => storage.id, isId: true },
    { title: 'NAME', value: (storage) => storage.name, shrinks: true },
    { title: 'TYPE', value: (storage) => storage.type },
    { title: 'ROOTS', value: rootsText, shrinks: true },
    { title: 'DESCRIPTION', value: (storage) => storage.description, shrinks: true },
  ],
  list: (client) => client.call('get', '/storage-locations'),
  inputOf: ({ name, description, roots }) => ({ name, description, roots }),
  replace: (client, id, body) => client.call('put', '/storage-locations/{id}', { path: { id }, body }),
  remove: (client, id) => client.call('delete', '/storage-locations/{id}', { path: { id } }),
  consequences: async () => ['Tasks that start later are not mapped by its roots. The stored files stay.'],
};

function rootsText({ roots }: StorageLocation): string {
  return Object.entries(roots)
    .map(([place, root]) => `${place}=${root}`)
    .join(' ');
}

interface CreateOptions {
  readonly description: string;
  readonly root: Roots;
}

const create = (name: string, { description, root }: CreateOptions, command: Command) =>
  createEntry(command, (client) =>
    client.call('post', '/storage-locations', {
      body: { name, description, roots: Object.fromEntries(root) },
    }),
  );

interface SetOptions {
  readonly name?: string;
  readonly description?: string;
  readonly root: Roots;
  readonly dropRoot: readonly string[];
}

const set = (given: string, { name, description, root, dropRoot }: SetOptions, command: Command) => {
  const adjust = ({ roots }: StorageLocation) => {
    const kept = Object.entries(roots).filter(([place]) => !dropRoot.includes(place));
    return { roots: Object.fromEntries([...kept, ...root]) };
  };
  const changesRoots = root.size > 0 || dropRoot.length > 0;
  return changeEntry(STORAGE, given, { name, description }, command, changesRoots ? adjust : null);
};

const ROOT = '--root <place=root>';
const ROOT_MEANS =
  'root there: an absolute path or s3://bucket[/prefix]; the place is a compute location, or default (may be repeated)';

/** `callsheet storage` */
export const storageCommand = (): Command =>
  clientCommand('storage', 'List storage locations, or create, change or delete one.')
    .action(listing(STORAGE))
    .addCommand(
      innerCommand('create', 'Create a storage location. Prints its id.')
        .argument('<name>', 'name of the location')
        .option('--description <text>', 'what is there', '')
        .option(ROOT, ROOT_MEANS, collectAssignment, new Map())
        .action(create),
    )
    .addCommand(
      innerCommand('set', 'Change a storage location. Other settings stay.')
        .argument('<storage>', entryArgumentHelp('location'))
        .option('--name <name>', 'new name')
        .option('--description <text>', 'what is there')
        .option(ROOT, ROOT_MEANS, collectAssignment, new Map())
        .option('--drop-root <place>', 'remove its root there (may be repeated)', collectName, [])
        .action(set),
    )
    .addCommand(
      confirmable(innerCommand('delete', 'Delete a storage location. The stored files stay.'))
        .argument('<storage>', entryArgumentHelp('location'))
        .action(deletion(STORAGE)),
    );

function collectName(given: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, given];
}
