import { queryOptions, skipToken, type QueryClient } from '@tanstack/react-query';
import type { NamedWorker } from '../../client/resources.ts';

/** The name of a worker, if a reply that was loaded has it. */
export const workerNameQuery = (id: string) =>
  queryOptions<string>({ queryKey: ['worker-names', id], queryFn: skipToken });

/** Keeps the names of a reply, so that the list of all workers need not be loaded for them. */
export function keepWorkerNames(client: QueryClient, workers: readonly NamedWorker[]): void {
  for (const { id, name } of workers) client.setQueryData(workerNameQuery(id).queryKey, name);
}
