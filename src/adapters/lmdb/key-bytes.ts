/**
 * Maximum length of a key in LMDB with pages of 4 KiB (docs/dependency-hazards.md#limits-of-lmdb-and-the-engine), in
 * UTF-8 bytes.
 */
export const MAX_KEY_BYTES = 1978;

/** Returns a key as it is stored: in UTF-8, whose byte order is the order of code points. */
export const keyBytes = (key: string): Buffer => Buffer.from(key, 'utf8');

/** Reports whether a row can have this key. Keys from clients may be too long or empty. */
export const isKey = (bytes: Uint8Array): boolean => bytes.length > 0 && bytes.length <= MAX_KEY_BYTES;

/** Returns a bound above every key that begins with `prefix` and below all later ones: no byte of UTF-8 is 0xff. */
export const endOfPrefix = (prefix: Uint8Array): Buffer => Buffer.concat([prefix, Uint8Array.of(0xff)]);
