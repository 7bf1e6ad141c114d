import type { FarmId, WorkerId } from '../ids.ts';
import type { JoinTokenRecord } from '../records/join-token.ts';
import type { CredentialKey, WorkerCredentialRecord } from '../records/worker-credential.ts';
import { nextKeyStatus, type KeyTrigger } from './credential-keys.ts';

/** Rules of credentials on the bus (docs/decisions/bus-identity.md). Times are milliseconds since the epoch. */

/** Time after which a replaced key is refused: enough to reconnect with its successor. */
export const REPLACED_GRACE_MS = 120_000;
/** Maximum number of keys of one credential that have not expired. */
export const KEYS_MAX = 16;
/**
 * Time after which a name is free again if the worker that joined with it has never registered, for example because its
 * disk was lost.
 */
export const UNREGISTERED_HOLD_MS = 600_000;

/** Returns the key that the worker uses; null if the credential is revoked. */
export const currentKey = ({ keys }: WorkerCredentialRecord): CredentialKey | null =>
  keys.find(({ status }) => status === 'current') ?? null;

/** Returns the key from which the present state of the credential counts, also if it is revoked or expired. */
export function latestKey(credential: WorkerCredentialRecord): CredentialKey {
  const key = currentKey(credential) ?? credential.keys.at(-1);
  if (key === undefined) throw new Error(`the credential of worker ${credential.workerId} has no key`);
  return key;
}

/** Reports whether the worker may use the bus with one of the keys. */
export const isValidCredential = ({ revokedAt, keys }: WorkerCredentialRecord, now: number): boolean =>
  revokedAt === null && keys.some((key) => key.status !== 'refused' && now < key.expiresAt);

/** Returns the keys that the bus must refuse although they have not expired. */
export const refusedKeys = ({ keys }: WorkerCredentialRecord, now: number): string[] =>
  keys.filter(({ status, expiresAt }) => status === 'refused' && now < expiresAt).map(({ key }) => key);

/**
 * Returns the credential of a worker that has joined with the token. `before` is an invalid credential of the same
 * worker; its keys stay refused.
 */
export function joinedCredential(
  before: WorkerCredentialRecord | undefined,
  joined: { readonly workerId: WorkerId; readonly name: string; readonly farmId: FarmId | null },
  token: JoinTokenRecord,
  key: Pick<CredentialKey, 'key' | 'expiresAt'>,
  now: number,
): WorkerCredentialRecord {
  const earlier = before === undefined ? [] : revokeCredential(before, now).keys;
  return {
    version: 1,
    ...joined,
    tokenId: token.id,
    tags: token.tags,
    keys: [
      ...earlier.filter(({ expiresAt }) => now < expiresAt),
      { ...key, status: nextKeyStatus(null, 'join') ?? 'refused', issuedAt: now, refusedFrom: null },
    ],
    revokedAt: null,
    registeredAt: null,
  };
}

/**
 * Returns the credential with a new offered key; itself if it has the key already. Returns null if it is
 * revoked, if it has too many keys, or if the key was used before.
 */
export function renewedCredential(
  credential: WorkerCredentialRecord,
  key: Pick<CredentialKey, 'key' | 'expiresAt'>,
  now: number,
): WorkerCredentialRecord | null {
  if (credential.revokedAt !== null) return null;
  const known = credential.keys.find((each) => each.key === key.key);
  if (known !== undefined)
    return known.status === 'offered' || known.status === 'current' ? credential : null;
  const kept = credential.keys.filter(({ expiresAt }) => now < expiresAt);
  if (kept.length >= KEYS_MAX) return null;
  const status = nextKeyStatus(null, 'renew') ?? 'refused';
  return {
    ...credential,
    keys: [
      ...kept.map((each) => moved(each, 'renew other')),
      { ...key, status, issuedAt: now, refusedFrom: null },
    ],
  };
}

/** Returns the credential whose worker uses the key; null if it has no such key that is valid. */
export function confirmedCredential(
  credential: WorkerCredentialRecord,
  key: string,
  now: number,
): WorkerCredentialRecord | null {
  const known = credential.keys.find((each) => each.key === key);
  if (known === undefined || now >= known.expiresAt || nextKeyStatus(known.status, 'confirm') === null)
    return null;
  if (known.status === 'current') return credential;
  return {
    ...credential,
    keys: credential.keys.map((each) => {
      if (each.key === key) return moved(each, 'confirm');
      const other = moved(each, 'confirm other');
      return other.status === 'replaced' && each.status !== 'replaced'
        ? { ...other, refusedFrom: now + REPLACED_GRACE_MS }
        : other;
    }),
  };
}

/** Returns the revoked credential. One that was revoked before keeps the time of that. */
export const revokeCredential = (credential: WorkerCredentialRecord, now: number): WorkerCredentialRecord =>
  credential.revokedAt === null
    ? {
        ...credential,
        keys: credential.keys.map((each) => ({ ...moved(each, 'revoke'), refusedFrom: null })),
        revokedAt: now,
      }
    : credential;

/**
 * Returns the credential after the passage of time: replaced keys are refused, and expired keys are removed, except the
 * last one. Returns itself if nothing has changed.
 */
export function settledCredential(credential: WorkerCredentialRecord, now: number): WorkerCredentialRecord {
  const latest = latestKey(credential).key;
  const isOver = (key: CredentialKey): boolean => key.refusedFrom !== null && key.refusedFrom <= now;
  const isGone = (key: CredentialKey): boolean => key.key !== latest && key.expiresAt <= now;
  if (!credential.keys.some((key) => isOver(key) || isGone(key))) return credential;
  const keys = credential.keys
    .filter((key) => !isGone(key))
    .map((key) => (isOver(key) ? { ...moved(key, 'settle'), refusedFrom: null } : key));
  return { ...credential, keys };
}

/** Reports whether every key has expired, so that the bus needs no list to refuse them. */
export const hasExpired = ({ keys }: WorkerCredentialRecord, now: number): boolean =>
  keys.every(({ expiresAt }) => expiresAt <= now);

const moved = (key: CredentialKey, trigger: KeyTrigger): CredentialKey => {
  const status = nextKeyStatus(key.status, trigger) ?? key.status;
  return status === key.status ? key : { ...key, status };
};
