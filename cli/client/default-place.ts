import type { Farm, Queue } from '../../client/resources.ts';
import type { ClientContext } from './client-command.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { allFarms, allQueues, findFarm, findQueue } from './lookup.ts';

type PlaceContext = Pick<ClientContext, 'client' | 'farm' | 'queue'>;

/** Command that creates a farm. */
export const CREATE_FARM = 'callsheet farms create NAME';
/** Maximum number of names in an error. */
const NAMES_MAX = 10;

/**
 * Returns the farm of a command: the given one, else that of the context, else the only one of the server.
 *
 * @throws CommandError if it does not exist, or several farms exist and none is given.
 */
export async function farmOf(context: PlaceContext, given: string | undefined): Promise<Farm> {
  return (await farmIfAny(context, given)) ?? none('farm', '', CREATE_FARM);
}

/** Returns the farm of a command as `farmOf` does, but null if none is named and the server has none. */
export async function farmIfAny(
  { client, farm }: PlaceContext,
  given: string | undefined,
): Promise<Farm | null> {
  const wanted = given ?? farm;
  return wanted === null ? only(await allFarms(client), 'farm', '') : findFarm(client, wanted);
}

/** Returns the queue of a command in its farm, as `farmOf` the farm. */
export async function queueOf(
  { client, queue: standard }: PlaceContext,
  farm: Farm,
  given: string | undefined,
): Promise<Queue> {
  const wanted = given ?? standard;
  if (wanted !== null) return findQueue(client, farm, wanted);
  const where = ` in the farm ${farm.name}`;
  const queue = only(await allQueues(client, farm.id), 'queue', where);
  return queue ?? none('queue', where, `callsheet queues create ${farm.name} NAME`);
}

function none(what: string, where: string, creates: string): never {
  throw new CommandError(EXIT.notFound, `there is no ${what}${where}: create one with ${creates}`);
}

/** Returns the only item, or null without items. Throws if there are several. */
function only<Item extends { readonly name: string }>(
  items: readonly Item[],
  what: string,
  where: string,
): Item | null {
  const [item = null, another] = items;
  if (another === undefined) return item;
  const names = items.slice(0, NAMES_MAX).map(({ name }) => name);
  if (items.length > NAMES_MAX) names.push('...');
  throw new CommandError(
    EXIT.usage,
    `there are several ${what}s${where} (${names.join(', ')}): give --${what}, or a default with callsheet context add`,
  );
}
