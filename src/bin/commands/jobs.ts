import type { Command } from 'commander';
import { clientCommand, contextOf, printJson, type ClientOptions } from './client-command.ts';
import { findFarm, findQueue } from './lookup.ts';
import { pageOptions, pageQuery, printPageEnd, type PageOptions } from './paging.ts';
import type { Job, Page } from './resources.ts';
import { table, type Column } from './table.ts';
import { CommandError, EXIT } from './exit-codes.ts';

interface JobsOptions extends ClientOptions, PageOptions {
  readonly status?: string;
  readonly farm?: string;
  readonly queue?: string;
  readonly search?: string;
}

const percentDone = ({ task_counts: counts }: Job): string =>
  counts.total === 0
    ? ''
    : `${Math.floor((100 * (counts.succeeded + counts.failed + counts.canceled)) / counts.total)}%`;

const COLUMNS: readonly Column<Job>[] = [
  { title: 'ID', value: (job) => job.id },
  { title: 'NAME', value: (job) => job.name, shrinks: true },
  { title: 'STATUS', value: (job) => job.status, isStatus: true },
  { title: 'DONE', value: percentDone, align: 'right' },
  { title: 'TASKS', value: (job) => String(job.task_counts.total), align: 'right' },
  { title: 'FAILED', value: (job) => String(job.task_counts.failed), align: 'right' },
  { title: 'PRIO', value: (job) => String(job.priority), align: 'right' },
  { title: 'OWNER', value: (job) => job.owner, shrinks: true },
  { title: 'CREATED', value: (job) => job.created_at.replace(/\.[0-9]+Z$/, 'Z') },
];

async function jobs(options: JobsOptions): Promise<void> {
  const { client, terminal, json } = contextOf(options);
  if (options.queue !== undefined && options.farm === undefined) {
    throw new CommandError(
      EXIT.usage,
      '--queue: needs --farm, because names of queues are unique in a farm only',
    );
  }
  const farm = options.farm === undefined ? undefined : await findFarm(client, options.farm);
  const queue =
    farm === undefined || options.queue === undefined
      ? undefined
      : await findQueue(client, farm, options.queue);
  const page = await client.get<Page<Job>>('/jobs', {
    farm_id: farm?.id,
    queue_id: queue?.id,
    status: options.status,
    search: options.search,
    sort_by: 'created_at',
    sort_dir: 'desc',
    ...pageQuery(options),
  });
  if (json) return printJson(terminal, page);
  terminal.out(table(COLUMNS, page.items, terminal));
  printPageEnd(terminal, page, options);
}

/** `callsheet jobs` */
export const jobsCommand = (): Command =>
  pageOptions(
    clientCommand('jobs', 'List jobs, the newest first.')
      .option('--status <status>', 'only jobs of this status')
      .option('--farm <farm>', 'only jobs of this farm, by id or name')
      .option('--queue <queue>', 'only jobs of this queue of the farm, by id or name')
      .option('--search <words>', 'words to find in name, id, owner and project'),
  ).action(jobs);
