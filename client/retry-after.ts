import type { HttpAnswer } from './http-fetch.ts';

/** Minimum delay, even if the response demands less. */
const WAIT_MS_MIN = 100;

type Answered = Pick<HttpAnswer, 'status' | 'headers'>;

/** Returns the milliseconds of `Retry-After`, which is in seconds; null if it is missing. */
export function retryAfterOf({ headers }: Pick<Answered, 'headers'>): number | null {
  const seconds = headers.get('retry-after') ?? '';
  return /^[0-9]{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : null;
}

/** Returns the milliseconds after which a rate-limited request can be repeated; null for other responses. */
export function waitOf(answer: Answered): number | null {
  const ms = answer.status === 429 ? retryAfterOf(answer) : null;
  return ms === null ? null : Math.max(WAIT_MS_MIN, ms);
}
