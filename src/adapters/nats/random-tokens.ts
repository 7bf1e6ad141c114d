import { randomFillSync } from 'node:crypto';

/** 128 bits: 22 characters of base64url. */
const TOKEN_BYTES = 16;
/** Number of tokens that are drawn at once: one call of the system's generator for each token would cost ten times as much. */
const TOKENS_DRAWN = 256;

/** Unguessable tokens of letters, digits, `-` and `_`. */
export class RandomTokens {
  readonly #bytes = Buffer.alloc(TOKEN_BYTES * TOKENS_DRAWN);
  #next = this.#bytes.length;

  next(): string {
    if (this.#next >= this.#bytes.length) {
      randomFillSync(this.#bytes);
      this.#next = 0;
    }
    const start = this.#next;
    this.#next += TOKEN_BYTES;
    return this.#bytes.toString('base64url', start, this.#next);
  }
}
