/** One clock for all who wait a little: however many wait, one timer runs, and none when nobody waits. */
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
