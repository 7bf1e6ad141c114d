/** A service that says "at once" is not asked more often than this. */
const WAIT_MS_MIN = 100;

type Answered = Pick<Response, 'status' | 'headers'>;

/** Milliseconds of `Retry-After`, which the service gives in seconds; null when it gives none. */
export function retryAfterOf({ headers }: Pick<Answered, 'headers'>): number | null {
  const seconds = headers.get('retry-after') ?? '';
  return /^[0-9]{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : null;
}

/** In how many milliseconds a service that was asked too often wants to be asked again; null when it is not that. */
export function waitOf(answer: Answered): number | null {
  const ms = answer.status === 429 ? retryAfterOf(answer) : null;
  return ms === null ? null : Math.max(WAIT_MS_MIN, ms);
}
