/** The retention of a farm's jobs: lets a sweep begin from time to time. Lives on when its farm is deleted. Id: farm id. */
export type RetentionMessage =
  /** From the farm, and at the start of a shard for every farm of which ended jobs are left: be there. */
  | { readonly type: 'retention.activate' }
  /** Its own timer. */
  | { readonly type: 'retention.due' };

/**
 * One piece of a sweep: asks the farm to let go of jobs that ended long enough ago. Id: the key of an ended job after
 * which the piece begins, or what the keys of the farm's jobs of one ending begin with.
 */
export interface SweepMessage {
  readonly type: 'sweep.next';
}
