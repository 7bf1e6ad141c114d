import { permissionsOf, type Permission, type Role } from '../../src/core/access/permissions.ts';

/** Who makes a request (docs/contract/resources.md#principal). */
export interface Principal {
  readonly subject: string;
  readonly username: string;
  readonly displayName: string;
  /** A single one. */
  readonly role: Role;
  readonly permissions: readonly Permission[];
  readonly kind: PrincipalKind;
}

/** How it is known who a principal is: not at all, while authentication is off. */
export type PrincipalKind = 'anonymous';

/** Everyone, while authentication is off: an anonymous superuser (docs/contract/authentication.md#the-switch). */
export const ANONYMOUS: Principal = {
  subject: 'anonymous',
  username: 'anonymous',
  displayName: 'Anonymous',
  role: 'admin',
  permissions: permissionsOf('admin'),
  kind: 'anonymous',
};
