/**
 * An API key (docs/contract/resources.md#api-key). The key of its row is the digest of the raw key, which is not stored.
 */
export interface ApiKeyRecord {
  readonly version: 1;
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  /** First characters of the raw key, for display. */
  readonly prefix: string;
  /** Milliseconds since the epoch; null if the key does not expire. */
  readonly expiresAt: number | null;
  readonly createdAt: number;
  /** Updated at most once a minute. */
  readonly lastUsedAt: number | null;
  /** Revocation keeps the row. */
  readonly revokedAt: number | null;
}

/** Row of the table `userApiKey`: finds the keys of an account. */
export interface UserApiKeyRecord {
  readonly version: 1;
  readonly digest: string;
}

/** Start of every raw key. */
export const API_KEY_START = 'svc_';
/** Characters of a raw key that are shown. */
export const API_KEY_PREFIX_LENGTH = 12;
/** Maximum number of keys of one account that are neither revoked nor expired. */
export const API_KEYS_PER_USER = 100;
/** Minimum time between two updates of `lastUsedAt` of a key, in milliseconds. */
export const API_KEY_USE_MS = 60_000;

/** Reports whether a key is valid at a time (milliseconds since the epoch). */
export const isValidKey = (key: ApiKeyRecord, now: number): boolean =>
  key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt);
