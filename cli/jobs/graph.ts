import type { JobGraph } from '../../client/resources.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { findJob } from '../client/lookup.ts';
import { printListing } from '../output/listing.ts';
import type { Column } from '../terminal/table.ts';

type ConnectedJob = JobGraph['items'][number];

/** `callsheet jobs graph`: the jobs that are connected to a job by dependencies, the nearest first. */
export async function showGraph(given: string, options: ClientOptions): Promise<void> {
  const context = contextOf(options);
  const { client, terminal, isForPrograms } = context;
  const id = await findJob(client, given);
  const graph = await client.call('get', '/jobs/{id}/graph', { path: { id } });
  const names = new Map(graph.items.map((job) => [job.id, job.name]));
  const columns: readonly Column<ConnectedJob>[] = [
    { title: 'ID', value: (job) => job.id, isId: true },
    { title: 'NAME', value: (job) => job.name, shrinks: true },
    { title: 'STATUS', value: (job) => job.status, isStatus: true },
    {
      title: 'DONE',
      value: ({ task_counts: { succeeded, total } }) => `${succeeded}/${total}`,
      align: 'right',
    },
    {
      title: 'AFTER',
      value: (job) => job.depends_on.map((upstream) => names.get(upstream) ?? upstream).join(', '),
      shrinks: true,
    },
  ];
  printListing(context, { what: 'job', columns, items: graph.items, reply: graph }, {});
  if (!isForPrograms && graph.is_partial)
    terminal.err(`More jobs are connected than the ${graph.items.length} nearest, which are listed.\n`);
}
