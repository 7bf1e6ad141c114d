/**
 * Messages of the retention of a farm's jobs, which starts sweeps periodically. Continues after its farm is deleted.
 * Id: farm id.
 */
export type RetentionMessage =
  /** From the farm, and at the start of a shard for every farm with ended jobs: load the actor and set its timer. */
  | { readonly type: 'retention.activate' }
  /** The actor's own timer. */
  | { readonly type: 'retention.due' };

/**
 * One batch of a sweep: requests the expiry of jobs whose retention has passed. From the retention actor and from the
 * sweep itself. Id: the key of an ended job after which the batch starts, or the key prefix of the farm's jobs with one
 * ending.
 */
export interface SweepMessage {
  readonly type: 'sweep.next';
}
