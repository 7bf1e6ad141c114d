/** Limits the number of concurrent operations; others wait in order. */
export class Semaphore {
  private free: number;
  private readonly waiting = new Set<() => void>();

  constructor(count: number) {
    this.free = count;
  }

  /**
   * Runs the work in its turn. Rejects with the reason of the signal if that is aborted before the turn; afterwards the
   * work must handle it.
   */
  async use<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.free > 0) this.free--;
    else await this.turn(signal);
    try {
      return await work();
    } finally {
      const [next] = this.waiting;
      if (next === undefined) this.free++;
      else next();
    }
  }

  private turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.waiting.delete(enter);
        signal.removeEventListener('abort', giveUp);
      };
      const enter = (): void => {
        leave();
        resolve();
      };
      const giveUp = (): void => {
        leave();
        reject(signal.reason instanceof Error ? signal.reason : new Error('given up'));
      };
      this.waiting.add(enter);
      signal.addEventListener('abort', giveUp);
    });
  }
}
