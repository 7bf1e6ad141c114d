const FIRST_MS = 2_000;
const MAX_MS = 3_600_000;
const DOUBLINGS_MAX = 20;

/** FNV-1a, 32 bits. */
const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;
const RANGE = 2 ** 32;

/**
 * Returns the milliseconds from a failed attempt to the next one: between half of 2 s and 2 s after the first, doubled
 * each time, at most an hour. The position in that range follows from the id of the delivery, so that deliveries that
 * failed together are not retried together.
 *
 * @param attempts - Number of failed attempts, from 1.
 */
export function retryDelayMs(attempts: number, id: string): number {
  const longest = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(attempts - 1, DOUBLINGS_MAX));
  let hash = OFFSET_BASIS;
  for (const character of `${id} ${attempts}`)
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), PRIME) >>> 0;
  return Math.round(longest * (0.5 + hash / RANGE / 2));
}
