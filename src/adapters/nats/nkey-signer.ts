import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { fromPublic, fromSeed, type KeyPair } from '@nats-io/nkeys';

/**
 * Ed25519 of NKEYs by the crypto module of Node.js. The library computes it in JavaScript, which takes some fifty times as long:
 * milliseconds for each connection of a worker, and several times that for each worker that joins.
 */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BITS = 5;
const KEY_BYTES = 32;
/** DER of RFC 8410 before the 32 bytes of a private or public Ed25519 key. */
const PRIVATE_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

const encoder = new TextEncoder();

/** A private key that was read from a seed. */
export interface SigningKey {
  /** Text of the public key. */
  readonly publicKey: string;
  sign(bytes: Uint8Array): Buffer;
}

/** Returns the key of a seed in the text form of NKEYs. Throws if the text is not a seed. */
export function signingKeyOf(seed: string | Uint8Array): SigningKey {
  const bytes = typeof seed === 'string' ? encoder.encode(seed) : seed;
  // The library checks the text, also its checksum.
  fromSeed(bytes);
  const [first = 0, second = 0, ...rest] = fromBase32(Buffer.from(bytes).toString('latin1'));
  const raw = Buffer.from(rest.slice(0, KEY_BYTES));
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_HEAD, raw]), format: 'der', type: 'pkcs8' });
  // A seed has two prefixes of five bits: that it is a seed, and the type of its public key.
  const type = ((first & 0x07) << BITS) | ((second & 0xf8) >> (8 - BITS));
  return { publicKey: publicText(type, key), sign: (input) => sign(null, input, key) };
}

/** Returns the same pair of keys, which signs faster. */
export function fastPair(pair: KeyPair): KeyPair {
  const key = signingKeyOf(pair.getSeed());
  pair.sign = (input) => new Uint8Array(key.sign(input));
  pair.getPublicKey = () => key.publicKey;
  return pair;
}

/** Reports whether the holder of a public key has signed the bytes. Throws if the text is not a public key. */
export function isSignedBy(publicKey: string, bytes: Uint8Array, signature: Uint8Array): boolean {
  fromPublic(publicKey);
  const raw = fromBase32(publicKey).subarray(1, 1 + KEY_BYTES);
  const key = createPublicKey({ key: Buffer.concat([PUBLIC_HEAD, raw]), format: 'der', type: 'spki' });
  return verify(null, bytes, key, signature);
}

function publicText(type: number, key: KeyObject): string {
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const body = Buffer.concat([Buffer.from([type]), der.subarray(PUBLIC_HEAD.length)]);
  const checksum = Buffer.alloc(2);
  checksum.writeUInt16LE(crc16(body));
  return toBase32(Buffer.concat([body, checksum]));
}

function toBase32(bytes: Uint8Array): string {
  let text = '';
  let value = 0;
  let bits = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= BITS; bits -= BITS) text += ALPHABET[(value >>> (bits - BITS)) & 31] ?? '';
    value &= 31;
  }
  return bits === 0 ? text : text + (ALPHABET[(value << (BITS - bits)) & 31] ?? '');
}

function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let value = 0;
  let bits = 0;
  for (const letter of text) {
    value = ((value << BITS) | ALPHABET.indexOf(letter)) & 0xfff;
    bits += BITS;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >>> bits) & 0xff);
  }
  return Buffer.from(bytes);
}

/** CRC-16/XMODEM, the checksum of NKEYs. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc;
}
