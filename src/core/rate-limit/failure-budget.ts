/**
 * States of a key: free (fewer failures than the maximum), blocked. Invariants: at most `keysMax` keys are remembered, the
 * latest. Exits: one failure is forgotten in each `forgetMs`, so a block ends by time.
 */

interface Failures {
  readonly count: number;
  readonly at: number;
}

/** Counts failures by key, and forgets them with time. */
export class FailureBudget {
  readonly #max: number;
  readonly #forgetMs: number;
  readonly #keysMax: number;
  readonly #failures = new Map<string, Failures>();

  constructor({
    max,
    forgetMs,
    keysMax,
  }: {
    readonly max: number;
    readonly forgetMs: number;
    readonly keysMax: number;
  }) {
    this.#max = max;
    this.#forgetMs = forgetMs;
    this.#keysMax = keysMax;
  }

  /** Returns 0, or the milliseconds until the key has fewer failures than the maximum. `now` never goes back. */
  blockedMs(key: string, now: number): number {
    const over = this.#countOf(key, now) - (this.#max - 1);
    return over <= 0 ? 0 : Math.ceil(over * this.#forgetMs);
  }

  /** Counts a failure. */
  failed(key: string, now: number): void {
    const count = Math.min(this.#max, this.#countOf(key, now) + 1);
    this.#failures.delete(key);
    if (this.#failures.size >= this.#keysMax)
      for (const oldest of this.#failures.keys()) {
        this.#failures.delete(oldest);
        break;
      }
    this.#failures.set(key, { count, at: now });
  }

  #countOf(key: string, now: number): number {
    const known = this.#failures.get(key);
    return known === undefined ? 0 : Math.max(0, known.count - (now - known.at) / this.#forgetMs);
  }
}
