import { normalDn } from './distinguished-name.ts';
import { ROLES, type Role } from './permissions.ts';

/** A group of the directory whose members have a role. */
export interface GroupRole {
  /** As from `normalDn`. */
  readonly group: string;
  readonly role: Role;
}

/**
 * Returns the role of a member of these groups: the highest role of the groups that have one, else `defaultRole`. Null
 * means that the user may not log in (docs/contract/authentication.md#ldap).
 */
export function roleOfGroups(
  groupDns: readonly string[],
  groupRoles: readonly GroupRole[],
  defaultRole: Role | null,
): Role | null {
  const groups = new Set(groupDns.map(normalDn));
  const granted = groupRoles.filter(({ group }) => groups.has(group)).map(({ role }) => role);
  return ROLES.findLast((role) => granted.includes(role)) ?? defaultRole;
}
