import { isUuid } from '../ids.ts';

/**
 * Incarnations of workers (docs/worker-protocol.md): a UUIDv7 of each start of a worker, so that a later start has a
 * greater one.
 */

/**
 * An incarnation that is further ahead of the service's clock is refused. So much, because a clock may be wrong, and a
 * refused worker gives its tasks back.
 */
export const REFUSED_AHEAD_MS = 24 * 3_600_000;

const UUIDV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;

export const isIncarnation = (text: string): boolean => isUuid(text) && UUIDV7.test(text);

/** Returns the time of an incarnation in milliseconds since the epoch; null if it is not a UUIDv7. */
function timeOf(incarnation: string): number | null {
  return isIncarnation(incarnation) ? Number.parseInt(incarnation.replace('-', '').slice(0, 12), 16) : null;
}

/** Reports whether an incarnation is so far ahead of `now` (milliseconds since the epoch) that it is refused. */
export function isRefusedIncarnation(incarnation: string, now: number): boolean {
  const time = timeOf(incarnation);
  return time !== null && time > now + REFUSED_AHEAD_MS;
}

/**
 * Reports whether a registered incarnation keeps an earlier one out, also one that is ahead of the clock: the clock may
 * have been set back, and a delayed registration of the earlier start would give back running tasks. A text that is not
 * a UUIDv7 has no order: only an earlier version accepted it.
 */
export const keepsOut = (registered: string, other: string): boolean =>
  isIncarnation(registered) && other < registered;
