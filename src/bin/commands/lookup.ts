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

/** The farm of an id or a name. An id wins over a name that reads like it. */
export async function findFarm(client: RestClient, given: string): Promise<Farm> {
  const farms = await allFarms(client);
  const farm = farms.find(({ id }) => id === given) ?? farms.find(({ name }) => name === given);
  if (farm === undefined) throw new CommandError(EXIT.notFound, `there is no farm ${JSON.stringify(given)}`);
  return farm;
}

/** The queue of an id or a name in a farm. */
export async function findQueue(client: RestClient, farm: Farm, given: string): Promise<Queue> {
  const queues = await allQueues(client, farm.id);
  const queue = queues.find(({ id }) => id === given) ?? queues.find(({ name }) => name === given);
  if (queue === undefined) {
    throw new CommandError(
      EXIT.notFound,
      `there is no queue ${JSON.stringify(given)} in the farm ${farm.name}`,
    );
  }
  return queue;
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
