/**
 * The longest key that LMDB takes with pages of 4 KiB (docs/dependency-hazards.md#limits-of-lmdb-and-the-engine), in
 * bytes of UTF-8.
 */
export const MAX_KEY_BYTES = 1978;

/** A key as it is stored: UTF-8, whose order of bytes is the order of code points. */
export const keyBytes = (key: string): Buffer => Buffer.from(key, 'utf8');

/** Whether a row can have this key. What clients send may be too long, or empty: no row has such a key. */
export const isKey = (bytes: Uint8Array): boolean => bytes.length > 0 && bytes.length <= MAX_KEY_BYTES;

/** Above every key that begins with `prefix`, below every other that follows: no byte of UTF-8 is 0xff. */
export const endOfPrefix = (prefix: Uint8Array): Buffer => Buffer.concat([prefix, Uint8Array.of(0xff)]);
