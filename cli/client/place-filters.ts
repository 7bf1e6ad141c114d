import type { Farm, Queue } from '../../client/resources.ts';
import type { ClientContext } from './client-command.ts';
import { farmOf } from './default-place.ts';
import { findGivenFarm, findQueue } from './lookup.ts';

/** Filters of a list as given on the command line. */
interface PlaceOptions {
  readonly farm?: string;
  readonly queue?: string;
}

/**
 * Returns the farm and the queue that a list is restricted to; undefined for all. Names of queues are unique within a farm
 * only: `--queue` without `--farm` is a queue of the default farm.
 */
export async function queueOfGiven(
  context: ClientContext,
  { farm: farmGiven, queue }: PlaceOptions,
): Promise<{ readonly farm: Farm | undefined; readonly queue: Queue | undefined }> {
  const { client } = context;
  if (queue === undefined) return { farm: await findGivenFarm(client, farmGiven), queue };
  const farm = await farmOf(context, farmGiven);
  return { farm, queue: await findQueue(client, farm, queue) };
}
