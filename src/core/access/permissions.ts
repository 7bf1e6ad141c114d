/** Permissions of principals, and the roles that grant them (docs/contract/authentication.md#roles-and-permissions). */

/** In ascending order of rights. */
export const ROLES = ['read-only', 'user', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

const ALL = ROLES;
const WRITERS = ['user', 'operator', 'admin'] as const;
const MANAGERS = ['operator', 'admin'] as const;
const ADMIN = ['admin'] as const;

/** The roles that each permission is granted to, in the order of the contract. */
export const PERMISSIONS = {
  'jobs.read': ALL,
  'jobs.read.all': ['read-only', 'operator', 'admin'],
  'jobs.write': WRITERS,
  'jobs.submit_as': MANAGERS,
  'workers.read': ALL,
  'workers.manage': MANAGERS,
  'infra.read': ALL,
  'infra.manage': MANAGERS,
  'products.read': ALL,
  'products.manage': MANAGERS,
  'diagnostics.read': MANAGERS,
  'users.read': ADMIN,
  'users.manage': ADMIN,
  'apikeys.self': ALL,
  'apikeys.admin': ADMIN,
  'isolation.manage': ADMIN,
} as const satisfies Readonly<Record<string, readonly Role[]>>;
export type Permission = keyof typeof PERMISSIONS;

const NAMES = Object.keys(PERMISSIONS) as readonly Permission[];

/** Reports whether a text is the name of a permission. */
export const isPermissionName = (text: string): text is Permission => Object.hasOwn(PERMISSIONS, text);

/** Returns the permissions of a role, in the order of the contract. */
export function permissionsOf(role: Role): readonly Permission[] {
  return NAMES.filter((permission) => {
    const granted: readonly Role[] = PERMISSIONS[permission];
    return granted.includes(role);
  });
}
