import type { Output } from '../../client/resources.ts';
import { printListing } from '../output/listing.ts';
import { contextOf, type ClientOptions } from '../client/client-command.ts';
import { allAfter, findJob } from '../client/lookup.ts';
import type { Column } from '../terminal/table.ts';

/** Options of `callsheet jobs outputs`. */
export interface OutputOptions {
  readonly location?: string;
}

const PAGE = 1000;

const columns: readonly Column<Output>[] = [
  { title: 'PATH', value: ({ path, mapped_path: mapped }) => mapped ?? path },
  { title: 'NAMED BY', value: ({ parameter, task_id: task }) => parameter ?? task ?? '' },
];

/** Prints all outputs of a job; with `location` their paths at that compute location. */
export async function printOutputs(given: string, options: OutputOptions & ClientOptions): Promise<void> {
  const context = contextOf(options);
  const { client } = context;
  const { location } = options;
  const id = await findJob(client, given);
  const items = await allAfter<Output>((after) =>
    client.call('get', '/jobs/{id}/outputs', {
      path: { id },
      query: { limit: PAGE, after, compute_location: location },
    }),
  );
  printListing(context, { what: 'output', columns, items, reply: { items } }, {});
}
