import type { User } from '../../../client/resources.ts';
import type { Sort } from '../../parts/data-table/column.ts';

const isEnabledAdmin = ({ role, disabled }: User): boolean => role === 'admin' && !disabled;

/** Returns why an account must keep its role and stay enabled; empty for most (docs/contract/rest.md#users). */
export function lastAdminReason(users: readonly User[], user: User): string {
  if (!isEnabledAdmin(user)) return '';
  const others = users.filter((other) => other.id !== user.id && isEnabledAdmin(other));
  return others.length > 0
    ? ''
    : 'This is the last enabled administrator. Make another account an administrator first.';
}

/** Returns why an account has no password that could be set here; empty for a local account. */
export const passwordReason = ({ auth_source: source }: User): string =>
  source === 'local'
    ? ''
    : `The account signs in by ${source === 'ldap' ? 'LDAP' : 'SSO'}: it has no password here.`;

const ORDER = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Returns the accounts that have all words of the search in a name, the role or the source, sorted by a member. */
export function shownUsers(users: readonly User[], search: string, { key, dir }: Sort): readonly User[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const sign = dir === 'asc' ? 1 : -1;
  return users
    .filter((user) => {
      const text = `${user.username} ${user.display_name} ${user.role} ${user.auth_source}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort((one, other) => sign * ORDER.compare(memberOf(one, key), memberOf(other, key)));
}

function memberOf(user: User, key: string): string {
  const member = new Map<string, unknown>(Object.entries(user)).get(key);
  return typeof member === 'string' || typeof member === 'boolean' ? String(member) : '';
}
