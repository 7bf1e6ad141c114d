import type { FarmId } from '../../../src/core/ids.ts';

/**
 * Messages of the purge of a deleted job, which deletes the rows of its tasks in batches, and then its logs. Id: job
 * id. Each message names the farm, which determines the shard.
 */
export type PurgeMessage =
  /** From the job at its deletion, from the purge itself, and at the start of a shard: delete the next batch. */
  | { readonly type: 'purge.next'; readonly farmId: FarmId }
  /** From the log thread: all logs of the job are deleted. */
  | { readonly type: 'purge.logs-deleted'; readonly farmId: FarmId };
