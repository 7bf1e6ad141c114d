/** Texts that many records share (owners, projects, queues), each held once and named by a small number. */
export class InternedTexts {
  readonly #codes = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #uses: number[] = [];
  readonly #free: number[] = [];

  /** How many different texts are held. */
  get size(): number {
    return this.#codes.size;
  }

  /** The code of a text that a record begins to use. */
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

  /** A record has ceased to use the text of this code; the last one lets go of it. */
  release(code: number): void {
    const uses = (this.#uses[code] ?? 0) - 1;
    this.#uses[code] = uses;
    if (uses > 0) return;
    this.#codes.delete(this.textOf(code));
    this.#texts[code] = '';
    this.#free.push(code);
  }

  /** The code of a text, or null when no record uses it. */
  find(text: string): number | null {
    return this.#codes.get(text) ?? null;
  }

  textOf(code: number): string {
    return this.#texts[code] ?? '';
  }

  /** For each code 1 when its text, in lower case, has the word in it, else 0. */
  having(word: string): Uint8Array {
    return Uint8Array.from(this.#texts, (text) => (text.toLowerCase().includes(word) ? 1 : 0));
  }
}
