import { joinTokenStatus } from '../../src/core/bus-identity/join-tokens.ts';
import { latestKey } from '../../src/core/bus-identity/credentials.ts';
import type { JoinTokenRecord } from '../../src/core/records/join-token.ts';
import type { WorkerCredentialRecord } from '../../src/core/records/worker-credential.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import type { Schemas } from './schemas.ts';

/** docs/rest.md#worker-tokens */
export const workerTokenView = (token: JoinTokenRecord): Schemas['WorkerToken'] => ({
  id: token.id,
  status: joinTokenStatus(token),
  farm_id: token.farmId,
  tags: token.tags,
  uses: token.uses,
  uses_left: token.usesLeft,
  created_by: token.createdBy,
  created_at: timestampOf(token.createdAt),
  expires_at: timestampOf(token.expiresAt),
  last_used_at: token.lastUsedAt === null ? null : timestampOf(token.lastUsedAt),
  revoked_at: token.revokedAt === null ? null : timestampOf(token.revokedAt),
});

/** docs/contract/resources.md#worker */
export function workerCredentialView(credential: WorkerCredentialRecord): Schemas['WorkerCredential'] {
  const key = latestKey(credential);
  return {
    issued_at: timestampOf(key.issuedAt),
    expires_at: timestampOf(key.expiresAt),
    token_id: credential.tokenId,
    revoked: credential.revokedAt !== null,
  };
}
