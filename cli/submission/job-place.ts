import type { Farm } from '../../client/resources.ts';
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
  const upstream = await findUpstreams(context, farm, given.dependsOn);
  return { farm_id: farm.id, queue_id: queue.id, depends_on: upstream };
}

/** Finds the ids of the jobs of a farm that must complete first. Throws if one does not exist or is ambiguous. */
export async function findUpstreams(
  { client }: Pick<ClientContext, 'client'>,
  farm: Farm,
  dependsOn: readonly string[],
): Promise<string[]> {
  const upstream: string[] = [];
  for (const each of dependsOn) upstream.push(await findJob(client, each, farm.id));
  return upstream;
}
