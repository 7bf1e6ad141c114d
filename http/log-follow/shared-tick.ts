/** One timer for any number of short waits. It runs only while there are waits. */
export class SharedTimer {
  readonly #delay: (milliseconds: number) => Promise<void>;
  readonly #periodMs: number;
  #next: Promise<void> | null = null;

  constructor(delay: (milliseconds: number) => Promise<void>, periodMs: number) {
    this.#delay = delay;
    this.#periodMs = periodMs;
  }

  /** Resolves at the next tick. */
  next(): Promise<void> {
    this.#next ??= this.#delay(this.#periodMs).then(() => {
      this.#next = null;
    });
    return this.#next;
  }
}
