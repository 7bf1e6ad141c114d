import { findFarm, findJob, findQueue } from './lookup.ts';
import type { RestClient } from './rest-client.ts';

/** Where a job is submitted to, and the jobs that must complete first, as given on the command line. */
export interface Place {
  readonly farm: string;
  readonly queue: string;
  readonly dependsOn: readonly string[];
}

/** The same as the REST API names it. */
interface PlaceIds {
  readonly farm_id: string;
  readonly queue_id: string;
  readonly depends_on: string[];
}

/** Finds the ids of a place. Throws if something does not exist or is ambiguous. */
export async function findPlace(client: RestClient, given: Place): Promise<PlaceIds> {
  const farm = await findFarm(client, given.farm);
  const queue = await findQueue(client, farm, given.queue);
  const upstream: string[] = [];
  for (const each of given.dependsOn) upstream.push(await findJob(client, each, farm.id));
  return { farm_id: farm.id, queue_id: queue.id, depends_on: upstream };
}
