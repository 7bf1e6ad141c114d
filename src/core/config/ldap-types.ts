import { parseFilterTemplate, type FilterTemplate, type Placeholder } from '../access/directory-filter.ts';
import type { GroupRole } from '../access/directory-role.ts';
import { normalDn } from '../access/distinguished-name.ts';
import { ROLES } from '../access/permissions.ts';
import { right, shown, textual, wrong, type Parsed, type ValueType } from './value-type.ts';

/** A server of a directory. */
export interface LdapServer {
  /** As configured, for messages. */
  readonly url: string;
  /** A host name or address; an IPv6 address without brackets. */
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (ldaps). */
  readonly isLdaps: boolean;
}

const URL = /^(ldaps?):\/\/(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::([0-9]{1,5}))?\/?$/;

/** Returns the type of the URL of a directory server. It has no user, base or filter: these have keys of their own. */
export function ldapUrl(): ValueType<LdapServer> {
  return textual('LDAP URL', (value) => {
    const [, scheme, address, name, digits] = URL.exec(value) ?? [];
    const host = address ?? name;
    const isLdaps = scheme === 'ldaps';
    const port = digits === undefined ? (isLdaps ? 636 : 389) : Number(digits);
    return host === undefined || port < 1 || port > 65_535
      ? wrong(`must be ldap://HOST[:PORT] or ldaps://HOST[:PORT], got ${shown(value)}`)
      : right({ url: value, host, port, isLdaps });
  });
}

/** Returns the type of a search filter that contains one of these placeholders. */
export function ldapFilter(placeholders: readonly Placeholder[]): ValueType<FilterTemplate> {
  return textual('LDAP filter', (value) => {
    const parsed = parseFilterTemplate(value, placeholders);
    return parsed.ok ? right(parsed.template) : wrong(`${parsed.wrong}, got ${shown(value)}`);
  });
}

/** Returns the type of the name of an attribute, without options. */
export function ldapAttribute(): ValueType<string> {
  return textual('LDAP attribute', (value) =>
    /^[A-Za-z][A-Za-z0-9-]{0,99}$/.test(value)
      ? right(value)
      : wrong(`must be the name of an attribute: letters, digits and -, got ${shown(value)}`),
  );
}

/**
 * Returns the type of a map of group DN to role. DNs contain commas and equals signs, so as text the map is a JSON
 * object.
 */
export function groupRoles(): ValueType<readonly GroupRole[]> {
  const fromMap = (value: unknown): Parsed<readonly GroupRole[]> => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return wrong(`must be a map of group DN to role, got ${shown(value)}`);
    const entries: GroupRole[] = [];
    for (const [dn, name] of Object.entries(value)) {
      const group = normalDn(dn);
      if (group === null) return wrong(`has a key that is not a DN: ${shown(dn)}`);
      const role = ROLES.find((one) => one === name);
      if (role === undefined)
        return wrong(`${shown(dn)} must have one of ${ROLES.join(', ')} as its role, got ${shown(name)}`);
      if (entries.some((entry) => entry.group === group))
        return wrong(`contains the group ${shown(dn)} twice`);
      entries.push({ group, role });
    }
    return right(entries);
  };
  const fromText = (value: string): Parsed<readonly GroupRole[]> => {
    if (value.trim() === '') return right([]);
    try {
      return fromMap(JSON.parse(value));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return wrong(`must be a JSON object such as {"cn=artists,dc=studio":"user"}, got ${shown(value)}`);
    }
  };
  return {
    label: 'map of group DN to role',
    fromText,
    fromDocument: (value) => (typeof value === 'string' ? fromText(value) : fromMap(value)),
  };
}
