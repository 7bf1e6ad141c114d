import { textHash } from '../text-hash.ts';

const FIRST_MS = 2_000;
const MAX_MS = 3_600_000;
const DOUBLINGS_MAX = 20;

/** Number of different hashes of texts. */
const HASHES = 2 ** 32;

/**
 * Returns the milliseconds from a failed attempt to the next one: between half of 2 s and 2 s after the first, doubled
 * each time, at most an hour. The position in that range follows from the id of the delivery, so that deliveries that
 * failed together are not retried together.
 *
 * @param attempts - Number of failed attempts, from 1.
 */
export function retryDelayMs(attempts: number, id: string): number {
  const longest = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(attempts - 1, DOUBLINGS_MAX));
  return Math.round(longest * (0.5 + textHash(`${id} ${attempts}`) / HASHES / 2));
}
