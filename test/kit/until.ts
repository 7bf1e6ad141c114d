import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 25;
/** Longest pause between two polls. A pause is a tenth of the time waited so far, so it delays a test little. */
const MAX_POLL_MS = 100;

/** Polls `condition` until it returns a value, and returns that value. Throws with `what` after `timeoutMs`. */
export async function until<T>(
  what: string,
  condition: () => Promise<T | null | false> | T | null | false,
  timeoutMs = 60_000,
): Promise<T> {
  const start = performance.now();
  const deadline = start + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== null && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`timed out after ${timeoutMs} ms: ${what}`);
    await delay(Math.min(MAX_POLL_MS, Math.max(POLL_MS, (performance.now() - start) / 10)));
  }
}
