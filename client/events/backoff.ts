/** Before the first new attempt; each further one waits twice as long, up to the longest. */
const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/**
 * How long to wait before the next attempt after so many (at least 1) have failed in a row: half of it by chance, so that
 * those who lost a service together do not come back together. `random` gives a number from 0 up to 1.
 */
export function backoffMs(failures: number, random: () => number): number {
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
  return Math.round(whole / 2 + (whole / 2) * random());
}
