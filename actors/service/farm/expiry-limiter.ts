/**
 * If this share of the online workers falls silent at once, the fault is more likely in the service or the network than
 * in the workers: their expiry is deferred by one more timeout, with a warning (docs/faults.md#mechanisms).
 */
const SHARE_MAX = 0.3;
/** With fewer workers the share is meaningless. */
const WORKERS_MIN = 10;

export interface ExpiryLimiter {
  /** Start of the current burst of expiry requests, and the number of requests in it. */
  burstStartedAt: number;
  burst: number;
  /** Time until which the expiries of this burst are deferred; null without a deferral. */
  deferredUntil: number | null;
}

export const newExpiryLimiter = (): ExpiryLimiter => ({ burstStartedAt: 0, burst: 0, deferredUntil: null });

/**
 * Counts an expiry request. Returns 0 if the worker may go offline now, else the delay in milliseconds. `online`:
 * number of online workers, including the one of this request.
 */
export function expiryDelayMs(
  limiter: ExpiryLimiter,
  online: number,
  timeoutMs: number,
  now: number,
): number {
  const age = now - limiter.burstStartedAt;
  if (age > 3 * timeoutMs || age < 0) {
    limiter.burstStartedAt = now;
    limiter.burst = 0;
    limiter.deferredUntil = null;
  }
  limiter.burst++;
  if (limiter.deferredUntil !== null) return Math.max(0, limiter.deferredUntil - now);
  if (online < WORKERS_MIN || limiter.burst <= online * SHARE_MAX) return 0;
  limiter.deferredUntil = now + timeoutMs;
  return timeoutMs;
}
