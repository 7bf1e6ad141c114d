/** A body that arrives in pieces. */
export class PiecedBody {
  readonly #bytes: Uint8Array;
  #length = 0;

  /** `bytes` is the whole length. */
  constructor(bytes: number) {
    this.#bytes = new Uint8Array(bytes);
  }

  /** Adds a piece. Returns false if there are more bytes than announced. */
  add(piece: Uint8Array): boolean {
    if (this.#length + piece.length > this.#bytes.length) return false;
    this.#bytes.set(piece, this.#length);
    this.#length += piece.length;
    return true;
  }

  /** The body when all of it has arrived; null before. */
  get whole(): Uint8Array | null {
    return this.#length === this.#bytes.length ? this.#bytes : null;
  }
}
