import type { WorkerAttempt } from './resources.ts';
import type { Rest } from './rest.ts';

/** Times that select attempts of a worker, as RFC 3339. */
export interface AttemptTimes {
  /** Only attempts that are open or ended at or after this time. */
  readonly since?: string | undefined;
  /** Only attempts that started before this time. */
  readonly until?: string | undefined;
}

const PAGE_MAX = 1000;

/** Iterates over the attempts of a worker: the open ones, then the others with the latest end first. Requests pages as needed. */
export async function* workerAttempts(
  rest: Rest,
  id: string,
  times: AttemptTimes = {},
  pageSize = PAGE_MAX,
): AsyncGenerator<WorkerAttempt> {
  let before: string | undefined;
  do {
    const query = { ...times, limit: pageSize, ...(before !== undefined && { before }) };
    const { items, next } = await rest.call('get', '/workers/{id}/attempts', { path: { id }, query });
    yield* items;
    before = next;
  } while (before !== undefined);
}
