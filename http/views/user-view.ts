import type { ApiKeyRecord } from '../../src/core/records/api-key.ts';
import type { UserRecord } from '../../src/core/records/user.ts';
import { timestampOf } from '../../src/core/timestamp.ts';
import type { Schemas } from './schemas.ts';

/** docs/contract/resources.md#user */
export const userView = (user: UserRecord): Schemas['User'] => ({
  id: user.id,
  username: user.username,
  display_name: user.displayName,
  role: user.role,
  disabled: user.disabled,
  auth_source: user.authSource,
  ...(user.externalId !== null && { external_id: user.externalId }),
  created_at: timestampOf(user.createdAt),
  updated_at: timestampOf(user.updatedAt),
});

/** docs/contract/resources.md#api-key */
export const apiKeyView = (key: ApiKeyRecord): Schemas['ApiKey'] => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  expires_at: key.expiresAt === null ? null : timestampOf(key.expiresAt),
  last_used_at: key.lastUsedAt === null ? null : timestampOf(key.lastUsedAt),
  created_at: timestampOf(key.createdAt),
});
