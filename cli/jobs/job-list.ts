import type { Command } from 'commander';
import type { Farm, Job, Queue } from '../../client/resources.ts';
import type { QueryOf } from '../../client/rest-calls.ts';
import { JOB_ORDERS, JOB_STATUSES, severalOf } from '../options/choices.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { allFarms, allQueues } from '../client/lookup.ts';
import type { Column } from '../terminal/table.ts';
import { pageOptions, serverOrder, type PageOptions, type SortOptions } from '../output/list-options.ts';
import { printListing } from '../output/listing.ts';
import { readPages } from '../output/pages.ts';
import { queueOfGiven } from '../client/place-filters.ts';

type Filters = Pick<QueryOf<'get', '/jobs'>, 'owner' | 'project' | 'product' | 'search'> & {
  readonly status?: readonly Job['status'][];
};

export interface JobListOptions
  extends ClientOptions, PageOptions, SortOptions<(typeof JOB_ORDERS)[number]>, Filters {
  readonly farm?: string;
  readonly queue?: string;
}

/** Formats the share of tasks that have succeeded: a canceled or failed job is not done. */
const percentDone = ({ task_counts: { succeeded, total } }: Job): string =>
  total === 0 ? '' : `${Math.floor((100 * succeeded) / total)}%`;

/** Why the job waits, was parked or canceled, or how its first failed task ended. */
const reasonOf = (job: Job): string =>
  job.waiting_reason ?? job.park_reason ?? job.cancel_reason ?? job.first_failure ?? '';

function columnsOf(
  jobs: readonly Job[],
  farms: readonly Farm[],
  queues: readonly Queue[],
): readonly Column<Job>[] {
  const farmNames = new Map(farms.map(({ id, name }) => [id, name]));
  const queueNames = new Map(queues.map(({ id, name }) => [id, name]));
  return [
    { title: 'ID', value: (job) => job.id, isId: true },
    { title: 'NAME', value: (job) => job.name, shrinks: true },
    { title: 'STATUS', value: (job) => job.status, isStatus: true },
    { title: 'DONE', value: percentDone, align: 'right' },
    { title: 'TASKS', value: (job) => String(job.task_counts.total), align: 'right' },
    { title: 'FAILED', value: (job) => String(job.task_counts.failed), align: 'right' },
    { title: 'REASON', value: reasonOf, shrinks: true, isWide: jobs.every((job) => reasonOf(job) === '') },
    { title: 'PRIO', value: (job) => String(job.priority), align: 'right' },
    { title: 'OWNER', value: (job) => job.owner, shrinks: true },
    {
      title: 'PROJECT',
      value: (job) => job.project,
      shrinks: true,
      isWide: jobs.every((job) => job.project === ''),
    },
    {
      title: 'FARM',
      value: (job) => farmNames.get(job.farm_id) ?? job.farm_id,
      shrinks: true,
      isWide: farms.length < 2,
    },
    { title: 'QUEUE', value: (job) => queueNames.get(job.queue_id) ?? job.queue_id, shrinks: true },
    { title: 'CREATED', value: (job) => job.created_at, isTime: true },
    { title: 'UPDATED', value: (job) => job.updated_at, isTime: true, isWide: true },
  ];
}

/** `callsheet jobs list` */
export async function listJobs(options: JobListOptions): Promise<void> {
  const context = contextOf(options);
  const { client, isForPrograms } = context;
  const { farm, queue } = await queueOfGiven(context, options);
  const query = {
    farm_id: farm?.id,
    queue_id: queue?.id,
    status: options.status,
    owner: options.owner,
    project: options.project,
    product: options.product,
    search: options.search,
    ...serverOrder(options, JOB_ORDERS),
  };
  const pages = await readPages(
    (paging) => client.call('get', '/jobs', { query: { ...query, ...paging } }),
    options,
  );
  const columns = isForPrograms
    ? []
    : columnsOf(pages.items, await allFarms(client), await allQueues(client, farm?.id));
  printListing(context, { what: 'job', columns, ...pages }, options);
}

/** Adds the filters of the list and its order, newest first. */
export const jobListOptions = (command: Command): Command =>
  pageOptions(
    JOB_ORDERS,
    '-created_at',
  )(
    command
      .addOption(severalOf('--status <status...>', 'only jobs with one of these statuses', JOB_STATUSES))
      .option('--farm <farm>', 'only jobs of this farm')
      .option('--queue <queue>', 'only jobs of this queue of the farm')
      .option('--owner <name>', 'only jobs of this owner')
      .option('--project <name>', 'only jobs of this project')
      .option('--product <product>', 'only jobs that were submitted from this product')
      .option('--search <words>', 'words to search for in name, id, owner and project'),
  );
