/**
 * Keys of the contract for features that this version does not have. Setting one is an error: if it were ignored, an
 * operator could believe, for instance, that logins are required. A value that turns the feature off is accepted.
 */
export const LATER_KEYS: ReadonlyMap<string, string | null> = new Map<string, string | null>([
  // name, value that means "off" (null: there is no such value)
  ['auth.oidc.enabled', 'false'],
  ['auth.oidc.issuer', null],
  ['auth.oidc.client_id', null],
  ['auth.oidc.client_secret', null],
  ['auth.oidc.client_secret_file', null],
  ['auth.oidc.scopes', null],
  ['auth.oidc.redirect_url', null],
  ['auth.oidc.username_claim', null],
  ['auth.oidc.role_claim', null],
  ['auth.oidc.role_map', null],
  ['auth.oidc.default_role', null],
  ['auth.oidc.logout_mode', null],
]);

/**
 * Keys of the contract for features that this version does not have and that do not affect access. They are accepted
 * with a note that they have no effect, so that one configuration can serve this version and the next.
 */
export const KEYS_WITHOUT_EFFECT: ReadonlySet<string> = new Set(['presets.dir']);
