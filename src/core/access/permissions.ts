/**
 * What a principal may be allowed to do, and which role allows it
 * (docs/contract/authentication.md#roles-and-permissions).
 */

/** From the least to the most. */
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

/** What a role grants, in the order of the contract. */
export function permissionsOf(role: Role): readonly Permission[] {
  return NAMES.filter((permission) => {
    const granted: readonly Role[] = PERMISSIONS[permission];
    return granted.includes(role);
  });
}
