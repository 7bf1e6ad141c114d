/**
 * Numbers that can each be used once, in a fixed amount of memory. Only the last `capacity` issued numbers can be used:
 * an older one counts as used.
 */
export class SingleUse {
  readonly #used: Uint8Array;
  readonly #capacity: number;
  #issued = 0;

  /** @param capacity - A multiple of 8. */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#used = new Uint8Array(capacity / 8);
  }

  /** Returns a new number: 1, 2, 3... It takes the place of the number `capacity` before it. */
  issue(): number {
    this.#issued += 1;
    const { at, bit } = this.#place(this.#issued);
    this.#used[at] = (this.#used[at] ?? 0) & ~bit;
    return this.#issued;
  }

  /** Uses a number. Returns false if it was used, is too old, or was never issued. */
  use(number: number): boolean {
    const isKnown =
      Number.isSafeInteger(number) &&
      number >= 1 &&
      number <= this.#issued &&
      number > this.#issued - this.#capacity;
    if (!isKnown) return false;
    const { at, bit } = this.#place(number);
    const before = this.#used[at] ?? 0;
    this.#used[at] = before | bit;
    return (before & bit) === 0;
  }

  #place(number: number): { readonly at: number; readonly bit: number } {
    const slot = number % this.#capacity;
    return { at: slot >> 3, bit: 1 << (slot & 7) };
  }
}
