/** Delay before the first retry. It doubles with each failure, up to the maximum. */
const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * Returns the delay in milliseconds before the next attempt, after `failures` (at least 1) consecutive failures. Half
 * of it is random, so that clients do not reconnect at the same time. `random` returns a number from 0 (inclusive) to
 * 1.
 */
export function backoffMs(failures: number, random: () => number): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  return Math.round(whole / 2 + (whole / 2) * random());
}
