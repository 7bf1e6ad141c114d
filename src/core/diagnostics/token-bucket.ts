/** Token bucket: allows a burst and then a steady rate. Times are milliseconds of one monotonic clock. */
export class TokenBucket {
  private readonly burst: number;
  private readonly perSecond: number;
  private tokens: number;
  private filledAt: number;

  constructor(burst: number, perSecond: number, now: number) {
    this.burst = burst;
    this.perSecond = perSecond;
    this.tokens = burst;
    this.filledAt = now;
  }

  /** Takes one token. Returns false if there is none. */
  take(now: number): boolean {
    const seconds = Math.max(0, now - this.filledAt) / 1000;
    this.tokens = Math.min(this.burst, this.tokens + seconds * this.perSecond);
    this.filledAt = now;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}
