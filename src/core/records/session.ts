import type { AuthSource } from './user.ts';

/**
 * A login session (docs/contract/authentication.md#sessions). The key of its row is the digest of the token in
 * the cookie: the token itself is not stored.
 */
export interface SessionRecord {
  readonly version: 1;
  readonly userId: string;
  /** How the user proved the identity. */
  readonly source: AuthSource;
  /** Milliseconds since the epoch. Use does not extend `expiresAt`. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Maximum number of sessions of one account; a further login ends the oldest. */
export const SESSIONS_PER_USER = 100;
