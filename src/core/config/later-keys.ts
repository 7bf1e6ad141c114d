/**
 * Keys of the contract for features that this version does not have. Setting one is an error: if it were ignored, an
 * operator could believe, for instance, that logins are required. A value that turns the feature off is accepted.
 */
export const LATER_KEYS: ReadonlyMap<string, string | null> = new Map<string, string | null>([
  // name, value that means "off" (null: there is no such value)
  ['auth.ldap.enabled', 'false'],
  ['auth.ldap.url', null],
  ['auth.ldap.start_tls', null],
  ['auth.ldap.ca_file', null],
  ['auth.ldap.timeout', null],
  ['auth.ldap.bind_dn', null],
  ['auth.ldap.bind_password', null],
  ['auth.ldap.bind_password_file', null],
  ['auth.ldap.user_base', null],
  ['auth.ldap.user_filter', null],
  ['auth.ldap.group_base', null],
  ['auth.ldap.group_filter', null],
  ['auth.ldap.unique_id_attr', null],
  ['auth.ldap.display_name_attr', null],
  ['auth.ldap.group_roles', null],
  ['auth.ldap.default_role', null],
]);

/**
 * Keys of the contract for features that this version does not have and that do not affect access. They are accepted
 * with a note that they have no effect, so that one configuration can serve this version and the next.
 */
export const KEYS_WITHOUT_EFFECT: ReadonlySet<string> = new Set(['presets.dir']);
