import { WATERMARKS } from './store-protocol.ts';

interface Waiting {
  /** Number of the transaction that must be readable. */
  readonly transaction: bigint;
  readonly resolve: () => void;
}

/** Delays reads while change sets are on disk but not readable, and requests them to be applied. */
export class ReadBarrier {
  readonly #watermarks: BigInt64Array;
  readonly #ask: () => void;
  #waiting: Waiting[] = [];

  /**
   * `watermarks` are those of a subscription; `ask` requests the store thread to apply everything, after which
   * `answered` is called.
   */
  constructor(watermarks: BigInt64Array, ask: () => void) {
    this.#watermarks = watermarks;
    this.#ask = ask;
  }

  /** Resolves when all sets that are durable now are readable; null if they already are. */
  untilReadable(): Promise<void> | null {
    const transaction = Atomics.load(this.#watermarks, WATERMARKS.durable);
    if (Atomics.load(this.#watermarks, WATERMARKS.readable) >= transaction) return null;
    return new Promise((resolve) => {
      this.#waiting.push({ transaction, resolve });
      if (this.#waiting.length === 1) this.#ask();
    });
  }

  /** The store thread has answered the last request. Later waiters send another one. */
  answered(): void {
    const readable = Atomics.load(this.#watermarks, WATERMARKS.readable);
    const reached = this.#waiting.filter(({ transaction }) => transaction <= readable);
    this.#waiting = this.#waiting.filter(({ transaction }) => transaction > readable);
    if (this.#waiting.length > 0) this.#ask();
    for (const { resolve } of reached) resolve();
  }
}
