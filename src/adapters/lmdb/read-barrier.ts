import { WATERMARKS } from './store-protocol.ts';

interface Waiting {
  /** So many sets must be readable. */
  readonly sets: bigint;
  readonly resolve: () => void;
}

/** Holds up reads while change sets are on disk that cannot be read yet, and asks for them to be made readable. */
export class ReadBarrier {
  readonly #watermarks: BigInt64Array;
  readonly #ask: () => void;
  #waiting: Waiting[] = [];

  /** `settled` is that of a watch; `ask` has the store thread make everything readable, after which `answered` is called. */
  constructor(watermarks: BigInt64Array, ask: () => void) {
    this.#watermarks = watermarks;
    this.#ask = ask;
  }

  /** Resolves when all sets that are on disk by now can be read; null when they can be already. */
  untilReadable(): Promise<void> | null {
    const sets = Atomics.load(this.#watermarks, WATERMARKS.durableSets);
    if (Atomics.load(this.#watermarks, WATERMARKS.readableSets) >= sets) return null;
    return new Promise((resolve) => {
      this.#waiting.push({ sets, resolve });
      if (this.#waiting.length === 1) this.#ask();
    });
  }

  /** The store thread has answered the last question: who came after it asks again. */
  answered(): void {
    const readable = Atomics.load(this.#watermarks, WATERMARKS.readableSets);
    const reached = this.#waiting.filter(({ sets }) => sets <= readable);
    this.#waiting = this.#waiting.filter(({ sets }) => sets > readable);
    if (this.#waiting.length > 0) this.#ask();
    for (const { resolve } of reached) resolve();
  }
}
