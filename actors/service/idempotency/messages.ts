/** The one actor with this id has the timer of the sweeps, on the first shard. */
export const KEY_TIMER = 'timer';

/** The actor with this id lives for one piece of a sweep. */
export const KEY_SWEEP = 'sweep';

/** Removes what is left of idempotency keys that have expired. Id: one of the two above. */
export type IdempotencyMessage =
  /** To the timer, at the start of the first shard. */
  | { readonly type: 'keys.activate' }
  /** Its own timer. */
  | { readonly type: 'keys.due' }
  /** To the sweep: remove the next piece. */
  | { readonly type: 'keys.sweep' };
