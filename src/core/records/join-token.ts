import type { FarmId } from '../ids.ts';

/**
 * A token with which workers join a bus with authentication (docs/decisions/bus-identity.md). The secret in it is not
 * stored. Times are milliseconds since the epoch.
 */
export interface JoinTokenRecord {
  readonly version: 1;
  readonly id: string;
  /** SHA-256 of the secret in hexadecimal. */
  readonly digest: string;
  /** Null if workers select the farm themselves. */
  readonly farmId: FarmId | null;
  /** Tags that the workers get, whatever they report. */
  readonly tags: Readonly<Record<string, string>>;
  /** Number of workers that can join with it in all. */
  readonly uses: number;
  readonly usesLeft: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Username. */
  readonly createdBy: string;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
}
