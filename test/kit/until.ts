import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 25;

/** Polls `condition` until it returns a value, and returns that value. Throws with `what` after `timeoutMs`. */
export async function until<T>(
  what: string,
  condition: () => Promise<T | null | false> | T | null | false,
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== null && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`timed out after ${timeoutMs} ms: ${what}`);
    await delay(POLL_MS);
  }
}
