import type { Farm, Queue } from '../../client/resources.ts';
import type { ClientContext } from './client-command.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { allFarms, allQueues, findFarm, findQueue } from './lookup.ts';

type PlaceContext = Pick<ClientContext, 'client' | 'farm' | 'queue'>;

/** Maximum number of names in an error. */
const NAMES_MAX = 10;

/**
 * Returns the farm of a command: the given one, else that of the context, else the only one of the server.
 *
 * @throws CommandError if it does not exist, or several farms exist and none is given.
 */
export async function farmOf({ client, farm }: PlaceContext, given: string | undefined): Promise<Farm> {
  const wanted = given ?? farm;
  if (wanted !== null) return findFarm(client, wanted);
  return only(await allFarms(client), 'farm', '', 'callsheet farms create NAME');
}

/** Returns the queue of a command in its farm, as `farmOf` the farm. */
export async function queueOf(
  { client, queue }: PlaceContext,
  farm: Farm,
  given: string | undefined,
): Promise<Queue> {
  const wanted = given ?? queue;
  if (wanted !== null) return findQueue(client, farm, wanted);
  const where = ` in the farm ${farm.name}`;
  return only(await allQueues(client, farm.id), 'queue', where, `callsheet queues create ${farm.name} NAME`);
}

function only<Item extends { readonly name: string }>(
  items: readonly Item[],
  what: string,
  where: string,
  creates: string,
): Item {
  const [item, another] = items;
  if (item === undefined)
    throw new CommandError(EXIT.notFound, `there is no ${what}${where}: create one with ${creates}`);
  if (another === undefined) return item;
  const names = items.slice(0, NAMES_MAX).map(({ name }) => name);
  if (items.length > NAMES_MAX) names.push('...');
  throw new CommandError(
    EXIT.usage,
    `there are several ${what}s${where} (${names.join(', ')}): give --${what}, or a default with callsheet context add`,
  );
}
