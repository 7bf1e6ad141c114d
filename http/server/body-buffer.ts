const FIRST_BYTES = 4096;

/**
 * Collects a body in one growing piece of memory. A list of chunks would cost an object for each, and a client can send
 * chunks of one byte.
 */
export class BodyBuffer {
  readonly #maxBytes: number;
  readonly #grow: (bytes: number) => boolean;
  #bytes = new Uint8Array(0);
  #length = 0;

  /**
   * `grow` is asked before the memory grows by a number of bytes, and gets a negative number when it is dropped.
   * `maxBytes` is the limit of the body.
   */
  constructor(maxBytes: number, grow: (bytes: number) => boolean) {
    this.#maxBytes = maxBytes;
    this.#grow = grow;
  }

  /** Appends a copy of the chunk. Returns why it does not; the collected bytes are then dropped. */
  append(chunk: Uint8Array): 'too-large' | 'no-memory' | null {
    const length = this.#length + chunk.byteLength;
    if (length > this.#maxBytes) return this.#drop('too-large');
    const capacity = this.#bytes.length;
    if (length > capacity) {
      const wanted = Math.min(this.#maxBytes, Math.max(length, 2 * capacity, FIRST_BYTES));
      const grown = this.#grow(wanted - capacity) ? wanted : this.#grow(length - capacity) ? length : null;
      if (grown === null) return this.#drop('no-memory');
      const bytes = new Uint8Array(Buffer.allocUnsafeSlow(grown).buffer);
      bytes.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = bytes;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
    return null;
  }

  /** The collected bytes, without a copy. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #drop(reason: 'too-large' | 'no-memory'): 'too-large' | 'no-memory' {
    this.#grow(-this.#bytes.length);
    this.#bytes = new Uint8Array(0);
    this.#length = 0;
    return reason;
  }
}
