import { generateKeyPairSync, sign } from 'node:crypto';

/** A user of the bus with a key of its own. */
export interface NatsUser {
  /** NKEY of the user. */
  readonly publicKey: string;
  /** Returns the signature of a text in base64url. */
  readonly sign: (text: string) => string;
}

/** Type of a user's public key in the text format of NATS: the first letter is U. */
const USER_PREFIX = 20 << 3;
const KEY_BYTES = 32;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const CRC_POLYNOMIAL = 0x1021;

/**
 * Creates a key with the program's own cryptography: the library of NATS takes 19 ms for a signature, which would be
 * most of what thousands of connections of one process cost.
 */
export function createNatsUser(): NatsUser {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-KEY_BYTES);
  return {
    publicKey: textOf(raw),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64url'),
  };
}

/** Encodes prefix, key and checksum in base 32. */
function textOf(key: Buffer): string {
  const body = Buffer.concat([Buffer.from([USER_PREFIX]), key]);
  const checksum = Buffer.alloc(2);
  checksum.writeUInt16LE(crc16(body));
  let bits = 0;
  let value = 0;
  let text = '';
  for (const byte of Buffer.concat([body, checksum])) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(value >> bits) & 31] ?? '';
    }
  }
  return text;
}

/** CRC-16 of XMODEM. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) {
      crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ CRC_POLYNOMIAL;
    }
    crc &= 0xffff;
  }
  return crc;
}
