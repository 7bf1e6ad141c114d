import { Option, type Command } from 'commander';
import { JOB_ORDERS, JOB_STATUSES } from './choices.ts';
import { clientCommand, contextOf, printJson, shortTime, type ClientOptions } from './client-command.ts';
import { CommandError, EXIT } from './exit-codes.ts';
import { findGivenFarm, findQueue } from './lookup.ts';
import { pageOptions, printPageEnd, type PageOptions } from './paging.ts';
import type { Job } from '../../client/resources.ts';
import type { QueryOf } from '../../client/rest-calls.ts';
import { table, type Column } from './table.ts';

type Filters = Pick<QueryOf<'get', '/jobs'>, 'owner' | 'project' | 'product' | 'search'> & {
  readonly status?: readonly Job['status'][];
};

interface JobsOptions extends ClientOptions, PageOptions, Filters {
  readonly farm?: string;
  readonly queue?: string;
  readonly sortBy: QueryOf<'get', '/jobs'>['sort_by'];
  readonly sortDir: QueryOf<'get', '/jobs'>['sort_dir'];
}

/** Formats the share of tasks that have succeeded: a canceled or failed job is not done. */
const percentDone = ({ task_counts: { succeeded, total } }: Job): string =>
  total === 0 ? '' : `${Math.floor((100 * succeeded) / total)}%`;

/** Why the job waits, was parked or was canceled. */
const reasonOf = (job: Job): string => job.waiting_reason ?? job.park_reason ?? job.cancel_reason ?? '';

const columnsOf = (jobs: readonly Job[]): readonly Column<Job>[] => [
  { title: 'ID', value: (job) => job.id, isId: true },
  { title: 'NAME', value: (job) => job.name, shrinks: true },
  { title: 'STATUS', value: (job) => job.status, isStatus: true },
  { title: 'DONE', value: percentDone, align: 'right' },
  { title: 'TASKS', value: (job) => String(job.task_counts.total), align: 'right' },
  { title: 'FAILED', value: (job) => String(job.task_counts.failed), align: 'right' },
  ...(jobs.some((job) => reasonOf(job) !== '') ? [{ title: 'REASON', value: reasonOf, shrinks: true }] : []),
  { title: 'PRIO', value: (job) => String(job.priority), align: 'right' },
  { title: 'OWNER', value: (job) => job.owner, shrinks: true },
  { title: 'CREATED', value: (job) => shortTime(job.created_at) },
];

async function jobs(options: JobsOptions): Promise<void> {
  const { client, terminal, json } = contextOf(options);
  if (options.queue !== undefined && options.farm === undefined) {
    throw new CommandError(EXIT.usage, '--queue needs --farm: names of queues are unique within a farm only');
  }
  const farm = await findGivenFarm(client, options.farm);
  const queue =
    farm === undefined || options.queue === undefined
      ? undefined
      : await findQueue(client, farm, options.queue);
  const page = await client.call('get', '/jobs', {
    query: {
      farm_id: farm?.id,
      queue_id: queue?.id,
      status: options.status,
      owner: options.owner,
      project: options.project,
      product: options.product,
      search: options.search,
      sort_by: options.sortBy,
      sort_dir: options.sortDir,
      limit: options.limit,
      offset: options.offset,
    },
  });
  if (json) return printJson(terminal, page);
  terminal.out(table(columnsOf(page.items), page.items, terminal));
  printPageEnd(terminal, page, options);
}

/** `callsheet jobs` */
export const jobsCommand = (): Command =>
  pageOptions(
    clientCommand('jobs', 'List jobs, newest first.')
      .addOption(
        new Option('--status <status...>', 'only jobs with one of these statuses').choices(JOB_STATUSES),
      )
      .option('--farm <farm>', 'only jobs of this farm')
      .option('--queue <queue>', 'only jobs of this queue of the farm')
      .option('--owner <name>', 'only jobs of this owner')
      .option('--project <name>', 'only jobs of this project')
      .option('--product <product>', 'only jobs that were submitted from this product')
      .option('--search <words>', 'words to search for in name, id, owner and project'),
    JOB_ORDERS,
    { by: 'created_at', dir: 'desc' },
  ).action(jobs);
