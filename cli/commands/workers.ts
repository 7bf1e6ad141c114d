import { Option, type Command } from 'commander';
import { WORKER_ORDERS, WORKER_STATUSES } from './choices.ts';
import {
  clientCommand,
  contextOf,
  innerCommand,
  printJson,
  shortTime,
  type ClientOptions,
} from './client-command.ts';
import { confirmable } from './catalog.ts';
import { confirmDeletion } from './confirm-deletion.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { findGivenFarm, findWorker } from './lookup.ts';
import { pageOptions, printPageEnd, type PageOptions } from './paging.ts';
import type { Worker } from '../../client/resources.ts';
import type { QueryOf } from '../../client/rest-calls.ts';
import type { RestClient } from './rest-client.ts';
import { table, type Column } from './table.ts';
import { workerTokenCommand } from './worker-tokens.ts';

type WorkersQuery = QueryOf<'get', '/workers'>;

interface WorkersOptions extends ClientOptions, PageOptions {
  readonly farm?: string;
  readonly status?: WorkersQuery['status'];
  readonly location?: string;
  readonly sortBy?: WorkersQuery['sort_by'];
  readonly sortDir?: WorkersQuery['sort_dir'];
}

const COLUMNS: readonly Column<Worker>[] = [
  { title: 'ID', value: (worker) => worker.id, isId: true },
  { title: 'NAME', value: (worker) => worker.name, shrinks: true },
  { title: 'HOST', value: (worker) => worker.hostname, shrinks: true },
  {
    title: 'STATUS',
    value: (worker) => (worker.draining === true ? 'draining' : worker.status),
    isStatus: true,
  },
  { title: 'CORES', value: (worker) => `${worker.committed_cores}/${worker.cpu_count}`, align: 'right' },
  { title: 'FAILURES', value: (worker) => String(worker.failed_attempts), align: 'right' },
  { title: 'LOCATION', value: (worker) => worker.compute_location, shrinks: true },
  { title: 'LAST HEARD', value: (worker) => shortTime(worker.last_heartbeat_at) },
];

/** Why the worker is disabled, or that it is probably broken. */
function noteOf({ disabled, failing_jobs: jobs }: Worker): string {
  if (disabled !== undefined) {
    const { by, at, reason } = disabled;
    return `disabled by ${by} at ${shortTime(at)}${reason === '' ? '' : `: ${reason}`}`;
  }
  return jobs === undefined ? '' : `tasks of ${jobs} jobs failed on it in the last hour`;
}

const NOTE: Column<Worker> = { title: 'NOTE', value: noteOf, shrinks: true };

async function workers(options: WorkersOptions): Promise<void> {
  const { client, terminal, json } = contextOf(options);
  const farm = await findGivenFarm(client, options.farm);
  const page = await client.call('get', '/workers', {
    query: {
      farm_id: farm?.id,
      status: options.status,
      compute_location: options.location,
      sort_by: options.sortBy,
      sort_dir: options.sortDir,
      limit: options.limit,
      offset: options.offset,
    },
  });
  if (json) return printJson(terminal, page);
  const columns = page.items.some((worker) => noteOf(worker) !== '') ? [...COLUMNS, NOTE] : COLUMNS;
  terminal.out(table(columns, page.items, terminal));
  printPageEnd(terminal, page, options);
  if (page.items.some(({ status }) => status === 'offline')) terminal.err(await offlineNote(client));
}

/** States when the tasks of an offline worker run again; empty if the server does not say. */
async function offlineNote(client: RestClient): Promise<string> {
  try {
    const { scheduler } = await client.call('get', '/settings');
    const seconds = scheduler.reclaim_after_seconds;
    return `The tasks of an offline worker run again ${seconds} s after its last contact (scheduler.reclaim_after).\n`;
  } catch (error) {
    // A server of an earlier version does not have the route.
    if (error instanceof CommandError && error.exitCode === EXIT.notFound) return '';
    throw error;
  }
}

const ACTIONS = {
  disable:
    'Disable a worker: it takes no new tasks. It finishes its current ones; with --now they stop and run elsewhere.',
  enable: 'Enable a worker, so that it takes tasks again.',
  delete: 'Delete a worker that is offline, or disabled and silent.',
} as const;
type Action = keyof typeof ACTIONS;

/** Options of `callsheet workers disable`. */
interface DisableOptions {
  readonly now?: boolean;
  readonly reason?: string;
}

/** Performs an action on a worker and prints the result. */
async function performAction(
  client: RestClient,
  action: Action,
  id: string,
  { now = false, reason = '' }: DisableOptions,
): Promise<{ readonly id: string; readonly status: string }> {
  const path = { id };
  if (action === 'enable') return client.call('post', '/workers/{id}/enable', { path });
  if (action === 'disable')
    return client.call('post', '/workers/{id}/disable', {
      path,
      body: { mode: now ? 'now' : 'after-tasks', reason },
    });
  await client.call('delete', '/workers/{id}', { path: { id } });
  // The status in the events of workers after a deletion.
  return { id, status: 'removed' };
}

function withOptions(action: Action, command: Command): Command {
  if (action === 'delete') return confirmable(command);
  if (action === 'enable') return command;
  return command
    .option('--now', 'stop its current tasks; they run elsewhere, and that counts as no attempt')
    .option('--reason <text>', 'why, shown with the worker');
}

/** Creates a command that performs an action on one worker and prints the result. */
const actionCommand = (action: Action): Command =>
  withOptions(action, innerCommand(action, ACTIONS[action]))
    .argument('<worker>', 'the worker, by id, by the beginning of its id, or by name')
    .action(async (given: string, _options: unknown, command: Command) => {
      const options = command.optsWithGlobals<WorkersOptions & DisableOptions & { readonly yes?: boolean }>();
      const { client, terminal, json } = contextOf(options);
      const farm = await findGivenFarm(client, options.farm);
      const worker = await findWorker(client, given, farm);
      if (action === 'delete')
        await confirmDeletion(terminal, options.yes === true, async () => ({
          object: `worker ${worker.name}`,
          consequences: [
            `It is ${worker.status}. Its failure counts are deleted.`,
            'It registers as a new worker when it is started again.',
          ],
        }));
      const standing = await performAction(client, action, worker.id, options);
      if (json) printJson(terminal, standing);
      else terminal.out(`${worker.id} ${standing.status}\n`);
    });

/** Revokes the credential of a worker on a bus with authentication. */
async function revoke(given: string, _options: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<WorkersOptions & { readonly yes?: boolean }>();
  const { client, terminal, json } = contextOf(options);
  const farm = await findGivenFarm(client, options.farm);
  const worker = await findWorker(client, given, farm);
  await confirmDeletion(terminal, options.yes === true, async () => ({
    object: `the credential of worker ${worker.name}`,
    consequences: [
      `The worker is ${worker.status}. It loses its connection at once, and its tasks are assigned again later.`,
      'It needs a new token to join again.',
    ],
  }));
  const credential = await client.call('post', '/workers/{id}/credential/revoke', {
    path: { id: worker.id },
  });
  if (json) printJson(terminal, credential);
  else terminal.out(`${worker.id} revoked\n`);
}

/** `callsheet workers` */
export const workersCommand = (): Command =>
  pageOptions(
    clientCommand(
      'workers',
      'List workers (CORES: reserved of all), or disable, enable, delete or revoke one.',
    )
      .option('--farm <farm>', 'only workers of this farm')
      .addOption(new Option('--status <status>', 'only workers of this status').choices(WORKER_STATUSES))
      .option('--location <name>', 'only workers at this compute location'),
    WORKER_ORDERS,
  )
    .action(workers)
    .addCommand(actionCommand('disable'))
    .addCommand(actionCommand('enable'))
    .addCommand(actionCommand('delete'))
    .addCommand(
      confirmable(innerCommand('revoke', 'Revoke the credential of a worker. It is disconnected at once.'))
        .argument('<worker>', 'the worker, by id, by the beginning of its id, or by name')
        .action(revoke),
    )
    .addCommand(workerTokenCommand());
