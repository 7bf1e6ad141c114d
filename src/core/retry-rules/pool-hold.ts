/** A usage pool that gives out no slots for a while, after a shortage (docs/retry-rules.md#requeue). */
export interface PoolHold {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly until: number;
  /** Number of shortages in a row, each after the end of the hold before it. */
  readonly times: number;
  /** Why, as a clause: `retry rule license of queue day applied (exit code 70)`. */
  readonly reason: string;
  /** Version of the list of rules. */
  readonly policy: string;
}

/** The longest hold. */
const HOLD_MS_MAX = 3_600_000;
const SECOND_MS = 1000;

/** A shortage that a rule has found. `at` is its time, in milliseconds since the epoch. */
export interface PoolShortage {
  readonly at: number;
  readonly backoffSeconds: number;
  readonly reason: string;
  readonly policy: string;
}

/** Reports whether a pool is held back at `now`. A hold has no effect if the clock was set back to before it. */
export const isHeldBack = (hold: Pick<PoolHold, 'since' | 'until'> | undefined, now: number): boolean =>
  hold !== undefined && hold.since <= now && now < hold.until;

/** Reports whether less time has passed since the end of a hold than the hold took. */
const isSoonAfter = ({ since, until }: PoolHold, at: number): boolean =>
  at >= until && at - until < until - since;

/**
 * Returns the hold after a shortage. A shortage during a hold changes nothing: its task had started before. The time
 * doubles with each shortage that comes before the pool has worked for as long as it was held, up to an hour, or the
 * backoff of the rule if that is longer.
 */
export function holdAfter(
  before: PoolHold | undefined,
  { at, backoffSeconds, reason, policy }: PoolShortage,
): PoolHold {
  if (before !== undefined && isHeldBack(before, at)) return before;
  const times = before !== undefined && isSoonAfter(before, at) ? before.times + 1 : 1;
  const base = backoffSeconds * SECOND_MS;
  const length = Math.min(base * 2 ** Math.min(times - 1, 30), Math.max(base, HOLD_MS_MAX));
  return { since: at, until: at + length, times, reason, policy };
}
