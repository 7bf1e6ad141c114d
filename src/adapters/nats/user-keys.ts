import { createUser } from '@nats-io/nkeys';
import { isSignedBy, signingKeyOf } from './nkey-signer.ts';

/** NKEYs of users of the bus: Ed25519 keys in the text format of NATS. */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A new key: its seed is a secret. */
export interface NewUserKey {
  readonly seed: string;
  readonly publicKey: string;
}

export function newUserKey(): NewUserKey {
  const seed = decoder.decode(createUser().getSeed());
  return { seed, publicKey: signingKeyOf(seed).publicKey };
}

/** Returns the public key of a seed; null if the text is not the seed of a user. */
export function publicKeyOf(seed: string): string | null {
  try {
    const { publicKey } = signingKeyOf(seed);
    return publicKey.startsWith('U') ? publicKey : null;
  } catch {
    return null;
  }
}

/** Returns the signature of a text in base64url. Throws if the seed is invalid. */
export const signText = (seed: string, text: string): string =>
  signingKeyOf(seed).sign(encoder.encode(text)).toString('base64url');

/** Reports whether the holder of the key has signed the text. */
export function isSigned(publicKey: string, text: string, signature: string): boolean {
  try {
    return isSignedBy(publicKey, encoder.encode(text), Buffer.from(signature, 'base64url'));
  } catch {
    // The key is invalid: its checksum is wrong.
    return false;
  }
}
