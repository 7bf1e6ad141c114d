import type { FarmId } from '../../../src/core/ids.ts';

/**
 * The purge of a deleted job: removes the rows that its tasks left behind, in pieces, and then its logs. Id: job id.
 * Each message names the farm, whose shard does it.
 */
export type PurgeMessage =
  /** From the job at its deletion, from the purge itself, and at the start of a shard: remove the next piece. */
  | { readonly type: 'purge.next'; readonly farmId: FarmId }
  /** From the logs thread: no log of the job is left. */
  | { readonly type: 'purge.logs-deleted'; readonly farmId: FarmId };
