import { CommandError, EXIT } from './exit-codes.ts';
import type { Farm, Page, Queue, Worker } from './resources.ts';
import type { Query, RestClient } from './rest-client.ts';

const PAGE_MAX = 1000;

/** Every item of a paginated list. */
export async function allPages<Item>(client: RestClient, path: string, query: Query): Promise<Item[]> {
  const items: Item[] = [];
  for (;;) {
    const page = await client.get<Page<Item>>(path, { ...query, limit: PAGE_MAX, offset: items.length });
    items.push(...page.items);
    if (page.items.length === 0 || items.length >= page.total) return items;
  }
}

export const allFarms = (client: RestClient): Promise<readonly Farm[]> =>
  client.get<readonly Farm[]>('/farms');

export const allQueues = (client: RestClient, farmId?: string): Promise<Queue[]> =>
  allPages<Queue>(client, '/queues', { farm_id: farmId });

/** The farm of an id or a name. */
export async function findFarm(client: RestClient, given: string): Promise<Farm> {
  return findIn(await allFarms(client), given, 'farm');
}

/** The queue of an id or a name in a farm. */
export async function findQueue(client: RestClient, farm: Farm, given: string): Promise<Queue> {
  return findIn(await allQueues(client, farm.id), given, 'queue', ` in the farm ${farm.name}`);
}

/** The one of a list that an id or a name means. An id wins over a name that reads like it. */
export function findIn<Item extends { readonly id: string; readonly name: string }>(
  items: readonly Item[],
  given: string,
  what: string,
  where = '',
): Item {
  const item = items.find(({ id }) => id === given) ?? items.find(({ name }) => name === given);
  if (item !== undefined) return item;
  throw new CommandError(EXIT.notFound, `there is no ${what} ${JSON.stringify(given)}${where}`);
}

/**
 * The worker of an id or a name, in a farm when one is given. A name is taken once in a farm, but other farms may have a
 * worker of the same name.
 */
export async function findWorker(client: RestClient, given: string, farm?: Farm): Promise<Worker> {
  const workers = await allPages<Worker>(client, '/workers', { farm_id: farm?.id });
  const [worker, another] = workersCalled(workers, given);
  if (worker === undefined) {
    throw new CommandError(EXIT.notFound, `there is no worker ${JSON.stringify(given)}`);
  }
  if (another !== undefined) {
    throw new CommandError(
      EXIT.usage,
      `${JSON.stringify(given)} is the name of workers of several farms: give its id, or --farm`,
    );
  }
  return worker;
}

function workersCalled(workers: readonly Worker[], given: string): readonly Worker[] {
  const withId = workers.filter(({ id }) => id === given);
  return withId.length > 0 ? withId : workers.filter(({ name }) => name === given);
}
