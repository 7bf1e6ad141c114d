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
/** An incarnation that is further ahead does not keep earlier ones out: it may be forged, or a clock was set back. */
const TRUSTED_AHEAD_MS = 600_000;

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

/** Reports whether a registered incarnation keeps an earlier one out. A text that is not a UUIDv7 has no order. */
export function keepsOut(registered: string, other: string, now: number): boolean {
  const time = timeOf(registered);
  return time !== null && time <= now + TRUSTED_AHEAD_MS && other < registered;
}
