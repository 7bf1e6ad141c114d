import { Option } from 'commander';
import type { UsagePool } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import { RETRY_RULES_HELP, retryRulesChange } from '../options/retry-rules.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { counted } from '../options/confirm.ts';
import { integer } from '../options/integer.ts';
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
import { showPool } from './pool-details.ts';

/** Says that the tasks that hold slots continue; empty without such tasks. */
function usersOf({ in_use: used, counts }: UsagePool): readonly string[] {
  if (used === 0) return [];
  // Its slots are not tasks.
  if (counts !== undefined) return ['Tasks that use it continue.'];
  return [used === 1 ? '1 task that uses it continues.' : `${counted(used, 'task')} that use it continue.`];
}

/** `12`, or `12 (ignored)` for a value that is too old; empty without one. */
function measuredText({ measured_slots: slots, measured_stale: isStale }: UsagePool): string {
  if (slots === undefined) return '';
  return isStale === true ? `${slots} (ignored)` : String(slots);
}

const POOLS: Catalog<UsagePool, BodyOf<'put', '/usage-pools/{id}'>> = {
  what: 'usage pool',
  columns: async () => [
    { title: 'ID', value: (pool) => pool.id, isId: true },
    { title: 'NAME', value: (pool) => pool.name, shrinks: true },
    {
      title: 'IN USE',
      value: (pool) => `${pool.in_use}/${pool.effective_slots ?? pool.max_concurrent}`,
      align: 'right',
    },
    { title: 'COUNTS', value: (pool) => pool.counts ?? 'tasks', isWide: true },
    { title: 'AVAILABLE', value: (pool) => String(pool.available), align: 'right' },
    { title: 'SLOTS', value: (pool) => String(pool.max_concurrent), align: 'right', isWide: true },
    { title: 'MEASURED', value: measuredText, align: 'right', isWide: true },
    { title: 'MEASURED AT', value: (pool) => pool.measured_at ?? '', isTime: true, isWide: true },
    { title: 'MEASURE ERROR', value: (pool) => pool.measured_error ?? '', shrinks: true, isWide: true },
    { title: 'HELD UNTIL', value: (pool) => pool.hold?.until ?? '', isTime: true, isWide: true },
    {
      title: 'RETRY RULES',
      value: (pool) => (pool.retry_rules ?? []).map(({ name }) => name).join(', '),
      shrinks: true,
      isWide: true,
    },
    { title: 'SERVER', value: (pool) => pool.server_hint ?? '', shrinks: true },
    { title: 'CREATED', value: (pool) => pool.created_at, isTime: true, isWide: true },
  ],
  list: (client) => client.call('get', '/usage-pools'),
  inputOf: ({ name, max_concurrent, server_hint, counts, retry_rules }) => ({
    name,
    max_concurrent,
    server_hint,
    counts,
    retry_rules,
  }),
  read: (client, id) => client.callWithHeaders('get', '/usage-pools/{id}', { path: { id } }),
  replace: (client, id, body, headers) =>
    client.call('put', '/usage-pools/{id}', { path: { id }, body, headers }),
  remove: (client, id) => client.call('delete', '/usage-pools/{id}', { path: { id } }),
  consequences: async (_client, pool) => ['Tasks that require it no longer start.', ...usersOf(pool)],
};

type PoolCounts = 'tasks' | 'amounts' | 'hosts';

const countsOption = (): Option =>
  new Option(
    '--counts <what>',
    'what takes its slots: tasks (one each), amounts (as many as a step requires), hosts (one each)',
  ).choices(['tasks', 'amounts', 'hosts'] satisfies readonly PoolCounts[]);

interface SetOptions extends ChangeOptions {
  readonly name?: string;
  readonly maxConcurrent?: number;
  readonly serverHint?: string;
  readonly counts?: PoolCounts;
  readonly retryRules?: string;
}

const { list, remove } = catalogVerbs(POOLS, {
  argument: 'pool',
  list: 'List usage pools. IN USE counts slots of all farms.',
  show: 'Show a usage pool.',
  delete: 'Delete a usage pool. Tasks that require it no longer start.',
});

/** `callsheet pools` */
export const pools: Noun = {
  name: 'pools',
  about: 'List usage pools, or create, change or delete one. IN USE counts slots of all farms.',
  verbs: [
    list,
    verb<ClientOptions>({
      name: 'show',
      about: 'Show a usage pool with the tasks that hold its slots and the steps that wait for them.',
      arguments: [entryArgument('pool', 'usage pool')],
      run: ([pool = ''], options) => showPool(POOLS, pool, options),
    }),
    verb<ClientOptions & { readonly serverHint: string; readonly counts?: PoolCounts }>({
      name: 'create',
      about: 'Create a usage pool. Prints its id.',
      arguments: [
        { name: '<name>', help: 'name of the pool: steps ask for amount.worker.usagepool.<name>' },
        { name: '<max>', help: 'number of slots', check: integer },
      ],
      options: (command) =>
        command
          .option('--server-hint <text>', 'what the pool represents, such as a license server', '')
          .addOption(countsOption()),
      run: ([name = '', max = ''], options) =>
        createEntry(options, ({ client }) =>
          client.call('post', '/usage-pools', {
            body: {
              name,
              max_concurrent: integer(max),
              server_hint: options.serverHint,
              ...(options.counts !== undefined && { counts: options.counts }),
            },
          }),
        ),
    }),
    verb<SetOptions>({
      name: 'set',
      about: 'Change a usage pool. Other settings stay.',
      arguments: [entryArgument('pool')],
      options: (command) =>
        overwritable(
          command
            .option('--name <name>', 'new name')
            .option('--max-concurrent <n>', 'number of slots', integer)
            .option('--server-hint <text>', 'what the pool represents')
            .addOption(countsOption())
            .option('--retry-rules <file>', RETRY_RULES_HELP),
        ),
      run: async ([pool = ''], options) => {
        const { name, maxConcurrent, serverHint, counts } = options;
        const rules = await retryRulesChange(options.retryRules, contextOf(options).terminal);
        return changeEntry(
          POOLS,
          pool,
          { name, max_concurrent: maxConcurrent, server_hint: serverHint, counts, retry_rules: rules },
          options,
        );
      },
    }),
    remove,
  ],
};
