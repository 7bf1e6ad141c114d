/** Letters and digits without those that look alike, so that a password can be read out. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
/** 20 of 56 characters are 116 bits. */
const LENGTH = 20;
const GROUP = 5;

/** Fills an array with random bytes, as `crypto.getRandomValues` does. */
export type FillRandom = (bytes: Uint8Array<ArrayBuffer>) => unknown;

/**
 * Returns a random password of four groups. Every character has the same probability: bytes that would favor the first
 * characters are skipped.
 */
export function generatePassword(fillRandom: FillRandom): string {
  const limit = 256 - (256 % ALPHABET.length);
  const characters: string[] = [];
  const bytes = new Uint8Array(LENGTH);
  while (characters.length < LENGTH) {
    fillRandom(bytes);
    for (const byte of bytes) if (byte < limit) characters.push(ALPHABET.charAt(byte % ALPHABET.length));
  }
  const groups: string[] = [];
  for (let start = 0; start < LENGTH; start += GROUP)
    groups.push(characters.slice(start, start + GROUP).join(''));
  return groups.join('-');
}
