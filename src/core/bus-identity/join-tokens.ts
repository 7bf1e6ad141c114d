import type { JoinTokenRecord } from '../records/join-token.ts';

/** Rules of join tokens (docs/decisions/bus-identity.md). Times are milliseconds since the epoch. */

/** Maximum number of tokens that have not expired. */
export const JOIN_TOKENS_MAX = 1000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
export const JOIN_TOKEN_LIFETIME_MS = { min: MINUTE_MS, max: 90 * DAY_MS, default: DAY_MS } as const;

/**
 * The state machine of a token as data. Only `active` ones admit workers. Exit: an expired token is removed, whatever its
 * status.
 */
export type JoinTokenStatus = 'active' | 'used_up' | 'revoked';
export type JoinTokenTrigger = 'use' | 'use last' | 'revoke';

const JOIN_TOKEN_TRANSITIONS: readonly {
  readonly from: JoinTokenStatus;
  readonly trigger: JoinTokenTrigger;
  readonly to: JoinTokenStatus;
}[] = [
  { from: 'active', trigger: 'use', to: 'active' },
  { from: 'active', trigger: 'use last', to: 'used_up' },
  { from: 'active', trigger: 'revoke', to: 'revoked' },
  { from: 'used_up', trigger: 'revoke', to: 'revoked' },
  { from: 'revoked', trigger: 'revoke', to: 'revoked' },
];

const TARGETS: ReadonlyMap<string, JoinTokenStatus> = new Map(
  JOIN_TOKEN_TRANSITIONS.map((row) => [`${row.from} ${row.trigger}`, row.to]),
);

export const joinTokenStatus = ({ revokedAt, usesLeft }: JoinTokenRecord): JoinTokenStatus =>
  revokedAt !== null ? 'revoked' : usesLeft === 0 ? 'used_up' : 'active';

export const isExpiredToken = ({ expiresAt }: JoinTokenRecord, now: number): boolean => now >= expiresAt;

/** Returns the token after one more worker has joined with it; null if it admits none. */
export function useToken(token: JoinTokenRecord, now: number): JoinTokenRecord | null {
  const trigger = token.usesLeft === 1 ? 'use last' : 'use';
  if (isExpiredToken(token, now) || !TARGETS.has(`${joinTokenStatus(token)} ${trigger}`)) return null;
  return { ...token, usesLeft: token.usesLeft - 1, lastUsedAt: now };
}

/** Returns the revoked token. One that was revoked before keeps the time of that. */
export const revokeToken = (token: JoinTokenRecord, now: number): JoinTokenRecord =>
  token.revokedAt === null ? { ...token, revokedAt: now } : token;
