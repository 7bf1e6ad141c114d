import { Option } from 'commander';
import type { Farm } from '../../client/resources.ts';
import type { BodyOf } from '../../client/rest-calls.ts';
import type { ClientOptions } from '../client/client-command.ts';
import { counted } from '../options/confirm.ts';
import { integer } from '../options/integer.ts';
import { allFarms, allQueues, allWorkers } from '../client/lookup.ts';
import type { RestClient } from '../client/rest-client.ts';
import {
  queuePolicyChanges,
  queuePolicyOptions,
  type QueuePolicyOptions,
} from '../options/queue-policy-options.ts';
import { namedCapsChanges, namedCapsOptions, type NamedCapsOptions } from '../options/named-caps.ts';
import { retryChanges, retryOptions, type RetryOptions } from '../options/retry-options.ts';
import { verb, type Noun } from '../grammar/verb.ts';
import {
  catalogVerbs,
  changeEntry,
  createEntry,
  overwritable,
  type Catalog,
  type ChangeOptions,
} from './catalog.ts';
import { outageVerbs } from './farm-outages.ts';
import { entryArgument } from '../grammar/verb-parts.ts';

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
      ? [
          `${counted(connected, 'worker')} of it ${connected === 1 ? 'is' : 'are'} online or disabled: use --force, or stop ${connected === 1 ? 'it' : 'them'} first.`,
        ]
      : []),
  ];
}

const FARMS: Catalog<Farm, BodyOf<'put', '/farms/{id}'>> = {
  what: 'farm',
  columns: async () => [
    { title: 'ID', value: (farm) => farm.id, isId: true },
    { title: 'NAME', value: (farm) => farm.name, shrinks: true },
    {
      title: 'MAX TASKS',
      value: (farm) => String(farm.max_concurrent_tasks || ''),
      align: 'right',
      isWide: true,
    },
    {
      title: 'BOOKED AMOUNTS',
      value: ({ booked_amounts: names = [], amount_default: byDefault }) =>
        names.length === 0 ? '' : `${names.join(',')} (default ${byDefault ?? 'none'})`,
      shrinks: true,
      isWide: true,
    },
    {
      title: 'QUEUE POLICY',
      value: ({ queue_policy: policy = 'fifo', shared_by: sharedBy = 'owner' }) =>
        policy === 'fifo' ? '' : `${policy} by ${sharedBy}`,
      isWide: true,
    },
    { title: 'QUARANTINE', value: (farm) => (farm.quarantine === true ? 'on' : ''), isWide: true },
    { title: 'OUTAGE HOLDS', value: (farm) => (farm.outage_holds === true ? 'on' : ''), isWide: true },
    { title: 'DESCRIPTION', value: (farm) => farm.description, shrinks: true },
    { title: 'CREATED', value: (farm) => farm.created_at, isTime: true },
  ],
  list: allFarms,
  inputOf: ({
    id: _id,
    created_at: _created,
    updated_at: _updated,
    policy_version: _version,
    quarantine_version: _quarantineVersion,
    outage_version: _outageVersion,
    queue_policy_version: _queuePolicyVersion,
    ...input
  }) => input,
  read: (client, id) => client.callWithHeaders('get', '/farms/{id}', { path: { id } }),
  replace: (client, id, body, headers) => client.call('put', '/farms/{id}', { path: { id }, body, headers }),
  remove: (client, id, force) =>
    client.call('delete', '/farms/{id}', { path: { id }, query: force ? { force } : {} }),
  consequences: consequencesOf,
};

/** Creates a farm and returns it as stored. */
export const createFarm = (client: RestClient, name: string, description: string): Promise<Farm> =>
  client.call('post', '/farms', { body: { name, description } });

interface SetOptions extends ChangeOptions, RetryOptions, QueuePolicyOptions, NamedCapsOptions {
  readonly name?: string;
  readonly description?: string;
  readonly maxConcurrentTasks?: number;
  readonly bookAmounts?: readonly string[];
  readonly amountDefault?: NonNullable<Farm['amount_default']>;
  readonly quarantine?: 'on' | 'off';
  readonly outageHolds?: 'on' | 'off';
  readonly outageJobs?: number;
  readonly outageWorkers?: number;
  readonly outageWindow?: number;
  readonly outageHold?: number;
}

const AMOUNT_DEFAULTS = ['none', 'core_share'] as const;

/** Returns the names of a list with commas; an empty list for `none`. */
const amountNames = (text: string): readonly string[] =>
  text === 'none' ? [] : text.split(',').map((name) => name.trim());

const { list, show, remove } = catalogVerbs(FARMS, {
  argument: 'farm',
  list: 'List farms.',
  show: 'Show a farm.',
  delete: 'Delete a farm whose jobs have all ended, with its queues and workers.',
  deleteOptions: (command) =>
    command.option('--force', 'also delete a farm with workers that are online or disabled'),
});

/** `callsheet farms` */
export const farms: Noun = {
  name: 'farms',
  about: 'List farms, or create, change or delete one.',
  verbs: [
    list,
    show,
    verb<ClientOptions & { readonly description: string }>({
      name: 'create',
      about: 'Create a farm. Prints its id.',
      arguments: [{ name: '<name>', help: 'name of the farm' }],
      options: (command) => command.option('--description <text>', 'what the farm is for', ''),
      run: ([name = ''], options) =>
        createEntry(options, ({ client }) => createFarm(client, name, options.description)),
    }),
    verb<SetOptions>({
      name: 'set',
      about: 'Change a farm. Other settings stay.',
      arguments: [entryArgument('farm')],
      options: (command) =>
        overwritable(
          retryOptions(
            namedCapsOptions(queuePolicyOptions(command))
              .option('--name <name>', 'new name')
              .option('--description <text>', 'what the farm is for')
              .option(
                '--max-concurrent-tasks <n>',
                'maximum number of concurrent tasks; 0 means no limit',
                integer,
              )
              .option(
                '--book-amounts <names>',
                'amounts that tasks book like cores, separated by commas: amount.worker.memory,amount.worker.gpu; none for no amounts',
                amountNames,
              )
              .addOption(
                new Option(
                  '--amount-default <default>',
                  'what a step without a booked amount takes of it: none, or core_share for its share of the cores',
                ).choices(AMOUNT_DEFAULTS),
              )
              .addOption(
                new Option(
                  '--quarantine <on|off>',
                  'keep workers from tasks that fail on them and succeed elsewhere; off lifts all quarantines',
                ).choices(['on', 'off']),
              )
              .addOption(
                new Option(
                  '--outage-holds <on|off>',
                  'hold a usage pool or location while tasks of several jobs fail there with one message',
                ).choices(['on', 'off']),
              )
              .option('--outage-jobs <n>', 'jobs that make an outage', integer)
              .option('--outage-workers <n>', 'workers that make an outage', integer)
              .option('--outage-window <seconds>', 'time in which their tasks must fail', integer)
              .option('--outage-hold <seconds>', 'time of the first hold', integer),
          ),
        ),
      run: ([farm = ''], options) => {
        const { name, description, maxConcurrentTasks, bookAmounts, amountDefault, quarantine } = options;
        const changes = {
          name,
          description,
          max_concurrent_tasks: maxConcurrentTasks,
          booked_amounts: bookAmounts,
          amount_default: amountDefault,
          ...queuePolicyChanges(options),
          ...namedCapsChanges(options),
          quarantine: quarantine === undefined ? undefined : quarantine === 'on',
          outage_holds: options.outageHolds === undefined ? undefined : options.outageHolds === 'on',
          outage_jobs: options.outageJobs,
          outage_workers: options.outageWorkers,
          outage_window_seconds: options.outageWindow,
          outage_hold_seconds: options.outageHold,
          ...retryChanges(options),
        };
        return changeEntry(FARMS, farm, changes, options);
      },
    }),
    remove,
    ...outageVerbs,
  ],
};
