/** A service that says "at once" is not asked more often than this. */
const WAIT_MS_MIN = 100;

/** In how many milliseconds a service that was asked too often wants to be asked again; null when it is not that. */
export function waitOf({ status, headers }: Pick<Response, 'status' | 'headers'>): number | null {
  const seconds = headers.get('retry-after') ?? '';
  return status === 429 && /^[0-9]{1,6}$/.test(seconds)
    ? Math.max(WAIT_MS_MIN, Number(seconds) * 1_000)
    : null;
}
