import type { KeyStatus } from '../bus-identity/credential-keys.ts';
import type { FarmId, WorkerId } from '../ids.ts';

/** One NKEY public key of a worker. Times are milliseconds since the epoch. */
export interface CredentialKey {
  readonly key: string;
  readonly status: KeyStatus;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** When a replaced key is refused; null for other keys. */
  readonly refusedFrom: number | null;
}

/**
 * The credential of a worker on a bus with authentication (docs/decisions/bus-identity.md). It outlives its worker until
 * its keys have expired, because the bus must refuse them until then.
 */
export interface WorkerCredentialRecord {
  readonly version: 1;
  readonly workerId: WorkerId;
  /** Name with which the worker has joined. */
  readonly name: string;
  /** Null if the worker selects its farm. */
  readonly farmId: FarmId | null;
  readonly tokenId: string;
  /** Tags that the worker gets, whatever it reports. */
  readonly tags: Readonly<Record<string, string>>;
  /** In the order in which they were issued. Never empty. */
  readonly keys: readonly CredentialKey[];
  readonly revokedAt: number | null;
  /** First registration of the worker after it has joined; null before. */
  readonly registeredAt: number | null;
}
