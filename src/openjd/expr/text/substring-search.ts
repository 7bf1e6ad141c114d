/** Maximum product of the lengths up to which the engine's own search is used: its worst case is that product. */
const MAX_PRODUCT = 1_000_000;
/** Maximum length of a needle for which the engine's search is always used. */
const SHORT_NEEDLE = 8;

/**
 * Searches a non-empty text in another, repeatedly, from the left or from the right, in time linear in both lengths:
 * long ones by Knuth, Morris and Pratt. Positions are UTF-16 offsets.
 */
export class SubstringSearch {
  readonly #text: string;
  readonly #needle: string;
  readonly #fromRight: boolean;
  /** Length of the longest proper border of each prefix of the needle. Null if the engine's search is fast enough. */
  readonly #borders: Int32Array | null;

  constructor(text: string, needle: string, fromRight = false) {
    this.#text = text;
    this.#needle = needle;
    this.#fromRight = fromRight;
    const quick = needle.length <= SHORT_NEEDLE || text.length * needle.length <= MAX_PRODUCT;
    this.#borders = quick ? null : bordersOf(needle, fromRight);
  }

  /** Reports whether the engine's own search is fast enough. */
  get quick(): boolean {
    return this.#borders === null;
  }

  /**
   * Returns the start of the next occurrence, or -1: from the left the first that begins at or after `bound`, from the
   * right the last that ends at or before `bound`.
   */
  next(bound: number): number {
    const text = this.#text;
    const needle = this.#needle;
    if (this.#borders !== null) return this.#nextByBorders(bound, this.#borders);
    if (!this.#fromRight) return text.indexOf(needle, bound);
    return bound < needle.length ? -1 : text.lastIndexOf(needle, bound - needle.length);
  }

  #nextByBorders(bound: number, borders: Int32Array): number {
    const text = this.#text;
    const needle = this.#needle;
    const size = needle.length;
    const last = size - 1;
    let matched = 0;
    if (!this.#fromRight) {
      for (let offset = bound; offset < text.length; offset++) {
        const unit = text.charCodeAt(offset);
        while (matched > 0 && needle.charCodeAt(matched) !== unit) matched = borders[matched] ?? 0;
        if (needle.charCodeAt(matched) === unit) matched += 1;
        if (matched === size) return offset - last;
      }
      return -1;
    }
    for (let offset = bound - 1; offset >= 0; offset--) {
      const unit = text.charCodeAt(offset);
      while (matched > 0 && needle.charCodeAt(last - matched) !== unit) matched = borders[matched] ?? 0;
      if (needle.charCodeAt(last - matched) === unit) matched += 1;
      if (matched === size) return offset;
    }
    return -1;
  }
}

function bordersOf(needle: string, fromRight: boolean): Int32Array {
  const last = needle.length - 1;
  const unitAt = (index: number): number => needle.charCodeAt(fromRight ? last - index : index);
  const borders = new Int32Array(needle.length + 1);
  let border = 0;
  for (let index = 1; index < needle.length; index++) {
    while (border > 0 && unitAt(border) !== unitAt(index)) border = borders[border] ?? 0;
    if (unitAt(border) === unitAt(index)) border += 1;
    borders[index + 1] = border;
  }
  return borders;
}
