import type { OwnerScope } from '../../src/core/access/owner-scope.ts';
import { permissionsOf, type Permission, type Role } from '../../src/core/access/permissions.ts';
import { usernameKey, type AuthSource, type UserRecord } from '../../src/core/records/user.ts';

/** Sender of a request (docs/contract/resources.md#principal). */
export interface Principal {
  readonly subject: string;
  readonly username: string;
  readonly displayName: string;
  /** Exactly one. */
  readonly role: Role;
  readonly permissions: readonly Permission[];
  readonly kind: PrincipalKind;
  /** Where the account proves its identity; null without an account. */
  readonly authSource: AuthSource | null;
  /**
   * Owner whose jobs alone the principal may see and change, in the form of `usernameKey`; null: everyone's
   * (docs/contract/authentication.md#roles-and-permissions).
   */
  readonly ownerScope: OwnerScope;
  /** Digest of the session's token; null for another credential. */
  readonly session: string | null;
}

/** How a principal was authenticated; `anonymous` while authentication is off, or without a credential. */
export type PrincipalKind = 'anonymous' | 'session' | 'api_key';

/** Who has opened a WebSocket connection. Decided at the handshake, and not again. */
export interface Visitor {
  /** Address that the connection counts for. */
  readonly address: string;
  readonly principal: Principal;
  /** Id of the handshake, for the audit log. */
  readonly requestId: string;
}

/**
 * Principal of every request while authentication is off: an anonymous superuser
 * (docs/contract/authentication.md#the-switch).
 */
export const ANONYMOUS: Principal = {
  subject: 'anonymous',
  username: 'anonymous',
  displayName: 'Anonymous',
  role: 'admin',
  permissions: permissionsOf('admin'),
  kind: 'anonymous',
  authSource: null,
  ownerScope: null,
  session: null,
};

/** Principal of a request to a public route without a credential, while authentication is on. */
export const NOBODY: Principal = {
  subject: '',
  username: '',
  displayName: '',
  role: 'read-only',
  permissions: [],
  kind: 'anonymous',
  authSource: null,
  ownerScope: '',
  session: null,
};

/** Reports whether a principal has a permission. */
export const isPermitted = (principal: Principal, permission: Permission): boolean =>
  principal.permissions.includes(permission);

/** Returns the principal of an account. `session` is the digest of its session; null for an API key. */
export function principalOf(user: UserRecord, session: string | null): Principal {
  const permissions = permissionsOf(user.role);
  return {
    subject: user.id,
    username: user.username,
    displayName: user.displayName,
    role: user.role,
    permissions,
    kind: session === null ? 'api_key' : 'session',
    authSource: user.authSource,
    ownerScope: permissions.includes('jobs.read.all') ? null : usernameKey(user.username),
    session,
  };
}
