/** Token bucket, which is full at first: allows a burst and then a steady rate. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number;

  /** `now` is milliseconds of a monotonic clock. */
  constructor({ rps, burst }: { readonly rps: number; readonly burst: number }, now: number) {
    this.#perSecond = rps;
    this.#burst = burst;
    this.#tokens = burst;
    this.#filledAt = now;
  }

  /** Takes one token. Returns false if there is none. */
  take(now: number): boolean {
    const seconds = Math.max(0, now - this.#filledAt) / 1000;
    this.#tokens = Math.min(this.#burst, this.#tokens + seconds * this.#perSecond);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
