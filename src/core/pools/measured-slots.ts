/** A value that a source of the operator has supplied for a usage pool (docs/policy.md#measured-pools). */
export interface MeasuredSlots {
  /** Slots that the farms may use in all, with those that they hold. */
  readonly slots: number;
  /** Time of the measurement, in milliseconds since the epoch. */
  readonly at: number;
  /** From this time on the value is ignored. */
  readonly until: number;
}

/** Measurements that have failed since the latest value. */
export interface MeasureFailure {
  /** Time of the first of them with this reason, in milliseconds since the epoch. */
  readonly since: number;
  /** As a clause: `the command ended with exit status 1`. */
  readonly reason: string;
}

/** Result of one measurement at a time. */
export type Measurement =
  | ({ readonly ok: true } & MeasuredSlots)
  | { readonly ok: false; readonly at: number; readonly reason: string };

/** Limit of a pool, and what its source has supplied. */
export interface MeasuredPool {
  /** The configured number of slots. */
  readonly maxConcurrent: number;
  readonly measured?: MeasuredSlots;
  readonly measureFailure?: MeasureFailure;
}

/**
 * Reports whether a value counts at `now`. A clock that was set back, or that of another node of a cluster, may be
 * before the measurement: then too the value counts for its maximum age.
 */
export const isFresh = ({ at, until }: Pick<MeasuredSlots, 'at' | 'until'>, now: number): boolean =>
  Math.abs(now - at) < until - at;

/** Returns the slots that a pool has at `now`: the measured ones, but never more than the configured ones. */
export const effectiveSlots = ({ maxConcurrent, measured }: MeasuredPool, now: number): number =>
  measured !== undefined && isFresh(measured, now) ? Math.min(maxConcurrent, measured.slots) : maxConcurrent;
