/**
 * Returns the milliseconds to wait before the next try: doubled with each failure (from 1), within bounds, half of it
 * random.
 */
export function backoffMs(failures: number, min: number, max: number): number {
  const full = Math.min(max, min * 2 ** Math.min(failures - 1, 30));
  return Math.round(full / 2 + (full / 2) * Math.random());
}

/** Timers that can all be ended early. */
export class BackoffTimer {
  readonly #pending = new Map<NodeJS.Timeout, () => void>();
  #isOver = false;

  /** Resolves after `ms`, or when the timers are ended. */
  pause(ms: number): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#pending.delete(timer);
        resolve();
      }, ms);
      this.#pending.set(timer, resolve);
    });
  }

  /** Ends every pause, including later ones. */
  end(): void {
    this.#isOver = true;
    for (const [timer, resolve] of this.#pending) {
      clearTimeout(timer);
      resolve();
    }
    this.#pending.clear();
  }
}
