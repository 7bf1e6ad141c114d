import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 25;

/** Waits until a condition holds. Gives what the condition gave; throws, with what it waits for, when the time is up. */
export async function until<T>(
  what: string,
  condition: () => Promise<T | null | false> | T | null | false,
  timeoutMs = 60_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value !== null && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await delay(POLL_MS);
  }
}
