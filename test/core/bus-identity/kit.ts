import type { JoinTokenRecord } from '../../../src/core/records/join-token.ts';

/** Returns a token that one worker can use for an hour. */
export const joinToken = (change: Partial<JoinTokenRecord> = {}): JoinTokenRecord => ({
  version: 1,
  id: '01a206e1-088c-7000-b1ce-bd6ea68344f2',
  digest: 'd',
  farmId: null,
  tags: {},
  uses: 1,
  usesLeft: 1,
  createdAt: 1_795_000_000_000,
  expiresAt: 1_795_003_600_000,
  createdBy: 'ada',
  revokedAt: null,
  lastUsedAt: null,
  ...change,
});
