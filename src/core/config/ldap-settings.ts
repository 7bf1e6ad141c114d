import { usernameAttribute, type FilterTemplate } from '../access/directory-filter.ts';
import type { GroupRole } from '../access/directory-role.ts';
import { normalDn } from '../access/distinguished-name.ts';
import type { Role } from '../access/permissions.ts';
import { secretSource, type SecretSource } from './secret-source.ts';
import type { LdapServer } from './ldap-types.ts';

/** Settings of the directory for logins (docs/contract/authentication.md#ldap). Paths are as given. */
export interface LdapSettings {
  /** At least one. The first one that can be reached is asked. */
  readonly servers: readonly LdapServer[];
  /** For all servers, none of which is an ldaps server then. */
  readonly isStartTls: boolean;
  /** Empty: the certificate authorities of Node. */
  readonly caFile: string;
  /** Maximum time for a login at one server. */
  readonly timeoutMs: number;
  /** Null: searches are anonymous. */
  readonly bind: LdapBind | null;
  readonly userBase: string;
  readonly userFilter: FilterTemplate;
  /** Attribute of `userFilter` that contains the username. */
  readonly usernameAttr: string;
  readonly uniqueIdAttr: string;
  readonly displayNameAttr: string;
  /** Null: groups are not searched. */
  readonly groups: LdapGroups | null;
  /** Role of users without a group that has one. Null: they cannot log in. */
  readonly defaultRole: Role | null;
}

/** The account that searches. */
export interface LdapBind {
  readonly dn: string;
  readonly password: NonNullable<SecretSource>;
}

export interface LdapGroups {
  readonly base: string;
  readonly filter: FilterTemplate;
  readonly roles: readonly GroupRole[];
}

/** Values of the keys of the directory. */
export interface LdapValues {
  readonly 'auth.enabled': boolean;
  readonly 'auth.ldap.enabled': boolean;
  readonly 'auth.ldap.url': readonly LdapServer[];
  readonly 'auth.ldap.start_tls': boolean;
  readonly 'auth.ldap.ca_file': string;
  readonly 'auth.ldap.timeout': number;
  readonly 'auth.ldap.bind_dn': string;
  readonly 'auth.ldap.bind_password': string;
  readonly 'auth.ldap.bind_password_file': string;
  readonly 'auth.ldap.user_base': string;
  readonly 'auth.ldap.user_filter': FilterTemplate;
  readonly 'auth.ldap.group_base': string;
  readonly 'auth.ldap.group_filter': FilterTemplate;
  readonly 'auth.ldap.unique_id_attr': string | null;
  readonly 'auth.ldap.display_name_attr': string;
  readonly 'auth.ldap.group_roles': readonly GroupRole[];
  readonly 'auth.ldap.default_role': Role | null;
}

/**
 * Returns the settings of the directory, null if authentication or the directory is not enabled. Contradictions and missing
 * keys are added to `lines`, risks and keys without effect to `notes`.
 */
export function ldapSettings(values: LdapValues, lines: string[], notes: string[]): LdapSettings | null {
  if (!values['auth.ldap.enabled']) return null;
  if (!values['auth.enabled']) {
    notes.push('auth.ldap.enabled: has no effect, because auth.enabled is false');
    return null;
  }
  const servers = values['auth.ldap.url'];
  const bind = bindOf(values, lines);
  const roles = values['auth.ldap.group_roles'];
  const groupBase = values['auth.ldap.group_base'];
  const userFilter = values['auth.ldap.user_filter'];
  const usernameAttr = usernameAttribute(userFilter);
  const uniqueIdAttr = values['auth.ldap.unique_id_attr'];

  if (servers.length === 0) lines.push('auth.ldap.url: must be set when auth.ldap.enabled is true');
  checkDn('auth.ldap.user_base', values['auth.ldap.user_base'], lines);
  if (usernameAttr === null)
    lines.push('auth.ldap.user_filter: must contain a comparison such as (uid={username})');
  if (uniqueIdAttr === null)
    lines.push(
      'auth.ldap.unique_id_attr: must be set when auth.ldap.enabled is true, for example entryUUID (OpenLDAP) or objectGUID (Active Directory)',
    );
  else if (/^(dn|distinguishedName|entryDN)$/i.test(uniqueIdAttr))
    lines.push('auth.ldap.unique_id_attr: must not be the DN, which changes when a user is renamed');
  if (groupBase !== '' || roles.length > 0) checkDn('auth.ldap.group_base', groupBase, lines);
  if (roles.length === 0 && values['auth.ldap.default_role'] === null)
    lines.push('auth.ldap.group_roles: must be set if auth.ldap.default_role is empty: no user could log in');
  checkEncryption(values, lines, notes);
  if (usernameAttr === null || uniqueIdAttr === null) return null;
  return {
    servers,
    isStartTls: values['auth.ldap.start_tls'],
    caFile: values['auth.ldap.ca_file'],
    timeoutMs: values['auth.ldap.timeout'],
    bind,
    userBase: values['auth.ldap.user_base'],
    userFilter,
    usernameAttr,
    uniqueIdAttr,
    displayNameAttr: values['auth.ldap.display_name_attr'],
    groups: roles.length === 0 ? null : { base: groupBase, filter: values['auth.ldap.group_filter'], roles },
    defaultRole: values['auth.ldap.default_role'],
  };
}

function checkDn(key: string, value: string, lines: string[]): void {
  if (normalDn(value) === null)
    lines.push(`${key}: must be a DN such as ou=people,dc=studio,dc=example, got ${JSON.stringify(value)}`);
}

function bindOf(values: LdapValues, lines: string[]): LdapBind | null {
  const dn = values['auth.ldap.bind_dn'];
  const password = secretSource('auth.ldap.bind_password', values, lines);
  if ((dn === '') !== (password === null))
    lines.push(
      'auth.ldap.bind_dn: needs auth.ldap.bind_password or auth.ldap.bind_password_file, and these need auth.ldap.bind_dn',
    );
  return dn === '' || password === null ? null : { dn, password };
}

const LOOPBACK = /^(localhost|127\..*|::1)$/i;

function checkEncryption(values: LdapValues, lines: string[], notes: string[]): void {
  const servers = values['auth.ldap.url'];
  const isStartTls = values['auth.ldap.start_tls'];
  if (isStartTls && servers.some(({ isLdaps }) => isLdaps))
    lines.push(
      'auth.ldap.start_tls: cannot be used with ldaps:// in auth.ldap.url, which is encrypted already',
    );
  if (isStartTls) return;
  const plain = servers.filter(({ isLdaps }) => !isLdaps);
  if (values['auth.ldap.ca_file'] !== '' && plain.length === servers.length && plain.length > 0)
    lines.push('auth.ldap.ca_file: needs ldaps:// in auth.ldap.url, or auth.ldap.start_tls');
  const exposed = plain.find(({ host }) => !LOOPBACK.test(host));
  if (exposed !== undefined)
    notes.push(
      `auth.ldap.url: passwords are sent to ${exposed.url} without encryption; use ldaps:// or set auth.ldap.start_tls`,
    );
}
