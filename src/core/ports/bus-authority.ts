import type { WorkerId } from '../ids.ts';

/** An NKEY public key of a user: `U` and 55 letters and digits of base32. */
export type UserKey = string;

/**
 * The authority of a bus with authentication: issues credentials, and takes them back
 * (docs/bus-identity.md). Its keys never leave the adapter.
 */
export interface BusAuthority {
  /** Addresses of the bus for workers, such as `tls://farm.example:14222`. Never empty. */
  readonly urls: readonly string[];
  /** PEM text of the certificate authority of the bus. */
  readonly caPem: string;
  /** SHA-256 of the DER form of that certificate, in base64url. */
  readonly caFingerprint: string;
  /**
   * Returns a JWT with which the holder of the key is this worker on the bus until `expiresAtMs` (milliseconds since the
   * epoch).
   */
  issueWorker(worker: WorkerId, key: UserKey, expiresAtMs: number): Promise<string>;
  /** Returns a JWT that allows no more than to exchange the join token with this id, without a key. */
  issueJoiner(tokenId: string, expiresAtMs: number): Promise<string>;
  /**
   * Replaces the list of refused keys. Connections with one of them are closed, and a new one is refused. Resolves when the
   * bus has confirmed it; rejects if it does not, and then the caller repeats it.
   */
  refuse(keys: readonly UserKey[]): Promise<void>;
}
