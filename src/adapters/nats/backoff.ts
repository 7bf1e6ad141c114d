/** Milliseconds to wait before the next try: doubled with each failure (from 1), within bounds, half of it left to chance. */
export function backoffMs(failures: number, min: number, max: number): number {
  const full = Math.min(max, min * 2 ** Math.min(failures - 1, 30));
  return Math.round(full / 2 + (full / 2) * Math.random());
}

/** Waits that can be ended early, all at once. */
export class BackoffTimer {
  readonly #pending = new Map<NodeJS.Timeout, () => void>();
  #isOver = false;

  /** Resolves after `ms`, or when the pauses are over. */
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

  /** Ends every pause, those to come included. */
  end(): void {
    this.#isOver = true;
    for (const [timer, resolve] of this.#pending) {
      clearTimeout(timer);
      resolve();
    }
    this.#pending.clear();
  }
}
