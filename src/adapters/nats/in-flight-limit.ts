/** Limits the number and total size of items in flight. Callers above the limit wait in order. */
export class InFlightLimit {
  #free: { count: number; bytes: number };
  readonly #waiting: { readonly bytes: number; readonly enter: () => void }[] = [];

  constructor(count: number, bytes: number) {
    this.#free = { count, bytes };
  }

  /** Resolves once one item of this size may enter. */
  enter(bytes: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ bytes, enter: resolve });
      this.#admit();
    });
  }

  leave(bytes: number): void {
    this.#free = { count: this.#free.count + 1, bytes: this.#free.bytes + bytes };
    this.#admit();
  }

  #admit(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (next === undefined || this.#free.count < 1 || this.#free.bytes < next.bytes) return;
      this.#waiting.shift();
      this.#free = { count: this.#free.count - 1, bytes: this.#free.bytes - next.bytes };
      next.enter();
    }
  }
}
