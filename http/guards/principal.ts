import { permissionsOf, type Permission, type Role } from '../../src/core/access/permissions.ts';

/** Sender of a request (docs/contract/resources.md#principal). */
export interface Principal {
  readonly subject: string;
  readonly username: string;
  readonly displayName: string;
  /** Exactly one. */
  readonly role: Role;
  readonly permissions: readonly Permission[];
  readonly kind: PrincipalKind;
}

/** How a principal was authenticated; `anonymous` while authentication is off. */
export type PrincipalKind = 'anonymous';

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
};
