/**
 * When many workers fall silent at once, the fault is more likely here or in the network than in all of them: hold one
 * more timeout before work is taken back, and say so (docs/faults.md#mechanisms).
 */
const SHARE_MAX = 0.3;
/** Below this many workers a share means nothing. */
const WORKERS_MIN = 10;

export interface ExpiryLimiter {
  /** When workers that went silent were last asked about, and how many of them in this burst. */
  burstStartedAt: number;
  burst: number;
  /** Until when expiries of this burst are held; 0 when they are not. */
  heldUntil: number;
}

export const newExpiryLimiter = (): ExpiryLimiter => ({ burstStartedAt: 0, burst: 0, heldUntil: 0 });

/**
 * Whether one more worker may go offline now: 0, or for how many milliseconds it is held. `online` counts the workers
 * that are online, the one that is asked about among them.
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
    limiter.heldUntil = 0;
  }
  limiter.burst++;
  if (limiter.heldUntil > 0) return Math.max(0, limiter.heldUntil - now);
  if (online < WORKERS_MIN || limiter.burst <= online * SHARE_MAX) return 0;
  limiter.heldUntil = now + timeoutMs;
  return timeoutMs;
}
