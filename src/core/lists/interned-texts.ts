/**
 * States of a code: free, used. Invariants: each text has one code; `#uses` counts its references. Exits: the last
 * `release` frees the code.
 */

/** Texts that many records share (owners, projects, queues). Each is stored once and has a small number as its code. */
export class InternedTexts {
  readonly #codes = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #uses: number[] = [];
  readonly #free: number[] = [];

  /** Returns the number of different texts. */
  get size(): number {
    return this.#codes.size;
  }

  /** Adds a reference to a text and returns its code. */
  take(text: string): number {
    const known = this.#codes.get(text);
    if (known !== undefined) {
      this.#uses[known] = (this.#uses[known] ?? 0) + 1;
      return known;
    }
    const code = this.#free.pop() ?? this.#texts.length;
    this.#codes.set(text, code);
    this.#texts[code] = text;
    this.#uses[code] = 1;
    return code;
  }

  /** Removes a reference to the text of this code. The last one removes the text. */
  release(code: number): void {
    const uses = (this.#uses[code] ?? 0) - 1;
    this.#uses[code] = uses;
    if (uses > 0) return;
    this.#codes.delete(this.textOf(code));
    this.#texts[code] = '';
    this.#free.push(code);
  }

  /** Returns the code of a text, or null if no record uses it. */
  find(text: string): number | null {
    return this.#codes.get(text) ?? null;
  }

  textOf(code: number): string {
    return this.#texts[code] ?? '';
  }

  /** Returns 1 at the code of each text that contains the word in lower case, else 0. */
  having(word: string): Uint8Array {
    return Uint8Array.from(this.#texts, (text) => (text.toLowerCase().includes(word) ? 1 : 0));
  }
}
