import type { ClientContext } from '../client/client-command.ts';
import { farmOf, queueOf } from '../client/default-place.ts';
import { findJob } from '../client/lookup.ts';

/** Where a job is submitted to, and the jobs that must complete first, as given on the command line. */
export interface Place {
  /** Undefined for the default farm. */
  readonly farm?: string | undefined;
  readonly queue?: string | undefined;
  readonly dependsOn: readonly string[];
}

/** The same as the REST API names it. */
interface PlaceIds {
  readonly farm_id: string;
  readonly queue_id: string;
  readonly depends_on: string[];
}

/** Finds the ids of a place. Throws if something does not exist or is ambiguous. */
export async function findPlace(
  context: Pick<ClientContext, 'client' | 'farm' | 'queue'>,
  given: Place,
): Promise<PlaceIds> {
  const farm = await farmOf(context, given.farm);
  const queue = await queueOf(context, farm, given.queue);
  const upstream: string[] = [];
  for (const each of given.dependsOn) upstream.push(await findJob(context.client, each, farm.id));
  return { farm_id: farm.id, queue_id: queue.id, depends_on: upstream };
}
