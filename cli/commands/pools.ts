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
import { counted } from './confirm-deletion.ts';
import { integer } from './integer.ts';
import type { UsagePool } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';

const POOLS: Catalog<UsagePool, BodyOf<'put', '/usage-pools/{id}'>> = {
  what: 'usage pool',
  columns: [
    { title: 'ID', value: (pool) => pool.id, isId: true },
    { title: 'NAME', value: (pool) => pool.name, shrinks: true },
    { title: 'IN USE', value: (pool) => `${pool.in_use}/${pool.max_concurrent}`, align: 'right' },
    { title: 'AVAILABLE', value: (pool) => String(pool.available), align: 'right' },
    { title: 'SERVER', value: (pool) => pool.server_hint ?? '', shrinks: true },
  ],
  list: (client) => client.call('get', '/usage-pools'),
  inputOf: ({ name, max_concurrent, server_hint }) => ({ name, max_concurrent, server_hint }),
  replace: (client, id, body) => client.call('put', '/usage-pools/{id}', { path: { id }, body }),
  remove: (client, id) => client.call('delete', '/usage-pools/{id}', { path: { id } }),
  consequences: async (_client, pool) => [
    'Tasks that require it no longer start.',
    `${counted(pool.in_use, 'task')} that use it continue.`,
  ],
};

const create = (name: string, max: number, options: { readonly serverHint: string }, command: Command) =>
  createEntry(command, (client) =>
    client.call('post', '/usage-pools', {
      body: { name, max_concurrent: max, server_hint: options.serverHint },
    }),
  );

interface SetOptions {
  readonly name?: string;
  readonly maxConcurrent?: number;
  readonly serverHint?: string;
}

const set = (given: string, { name, maxConcurrent, serverHint }: SetOptions, command: Command) =>
  changeEntry(POOLS, given, { name, max_concurrent: maxConcurrent, server_hint: serverHint }, command);

/** `callsheet pools` */
export const poolsCommand = (): Command =>
  clientCommand(
    'pools',
    'List usage pools, or create, change or delete one. IN USE counts slots of all farms.',
  )
    .action(listing(POOLS))
    .addCommand(
      innerCommand('create', 'Create a usage pool. Prints its id.')
        .argument('<name>', 'name of the pool: steps ask for amount.worker.usagepool.<name>')
        .argument('<max>', 'number of slots', integer)
        .option('--server-hint <text>', 'what the pool represents, such as a license server', '')
        .action(create),
    )
    .addCommand(
      innerCommand('set', 'Change a usage pool. Other settings stay.')
        .argument('<pool>', entryArgumentHelp('pool'))
        .option('--name <name>', 'new name')
        .option('--max-concurrent <n>', 'number of slots', integer)
        .option('--server-hint <text>', 'what the pool represents')
        .action(set),
    )
    .addCommand(
      confirmable(innerCommand('delete', 'Delete a usage pool. Tasks that require it no longer start.'))
        .argument('<pool>', entryArgumentHelp('pool'))
        .action(deletion(POOLS)),
    );
