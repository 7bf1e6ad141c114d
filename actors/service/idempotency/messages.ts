/** Id of the actor with the timer of the sweeps, on the first shard. */
export const KEY_TIMER = 'timer';

/** Id of the actor that lasts for one batch of a sweep. */
export const KEY_SWEEP = 'sweep';

/** Messages of the idempotency actor, which deletes expired idempotency keys. Id: one of the two above. */
export type IdempotencyMessage =
  /** To the timer actor, at the start of the first shard. */
  | { readonly type: 'keys.activate' }
  /** The timer actor's own timer. */
  | { readonly type: 'keys.due' }
  /** To the sweep actor, from the timer actor and itself: delete the next batch. */
  | { readonly type: 'keys.sweep' };
