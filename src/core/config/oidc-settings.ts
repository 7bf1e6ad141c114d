import type { ClaimRules } from '../access/claims.ts';
import type { Role } from '../access/permissions.ts';
import { secretSource, type SecretSource } from './secret-source.ts';

/** Settings of the sign-in by OpenID Connect (docs/contract/authentication.md#oidc). */
export interface OidcSettings {
  /** As configured: a URL without query and fragment. */
  readonly issuer: string;
  readonly clientId: string;
  /** Null: a public client, protected by PKCE alone. */
  readonly clientSecret: SecretSource;
  /** Contains `openid`. */
  readonly scopes: readonly string[];
  /** Address of the callback, as the browser reaches it. */
  readonly redirectUrl: string;
  /** Hosts besides that of the issuer that the service may send requests to, `host[:port]` in lower case. */
  readonly endpointHosts: readonly string[];
  readonly claims: ClaimRules;
  readonly logoutMode: 'local' | 'provider';
}

/** Path of the callback below the address of the service. */
const OIDC_CALLBACK_PATH = '/api/v1/auth/oidc/callback';

/** Values of the keys of the sign-in by OpenID Connect. */
export interface OidcValues {
  readonly 'auth.enabled': boolean;
  readonly 'auth.oidc.enabled': boolean;
  readonly 'auth.oidc.issuer': string;
  readonly 'auth.oidc.client_id': string;
  readonly 'auth.oidc.client_secret': string;
  readonly 'auth.oidc.client_secret_file': string;
  readonly 'auth.oidc.scopes': readonly string[];
  readonly 'auth.oidc.redirect_url': string;
  readonly 'auth.oidc.endpoint_hosts': readonly string[];
  readonly 'auth.oidc.username_claim': string;
  readonly 'auth.oidc.role_claim': string;
  readonly 'auth.oidc.role_map': ReadonlyMap<string, Role>;
  readonly 'auth.oidc.default_role': Role | null;
  readonly 'auth.oidc.logout_mode': 'local' | 'provider';
}

const URL_PARTS =
  /^(https?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::([0-9]{1,5}))?(\/[A-Za-z0-9._~%!$&'()*+,;=:@/-]*)?$/;
const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/;

/**
 * Returns the settings of the sign-in by OpenID Connect, null if it or authentication is off. Errors, each naming its
 * key, are added to `lines`, keys without effect to `notes`.
 */
export function oidcSettings(values: OidcValues, lines: string[], notes: string[]): OidcSettings | null {
  if (!values['auth.oidc.enabled']) return null;
  if (!values['auth.enabled']) {
    notes.push('auth.oidc.enabled: has no effect, because auth.enabled is false');
    return null;
  }
  const before = lines.length;
  for (const key of ['auth.oidc.issuer', 'auth.oidc.client_id', 'auth.oidc.redirect_url'] as const)
    if (values[key] === '') lines.push(`${key}: must be set if auth.oidc.enabled is true`);
  checkIssuer(values['auth.oidc.issuer'], lines);
  checkRedirectUrl(values['auth.oidc.redirect_url'], lines);
  checkRoles(values, lines);
  if (!values['auth.oidc.scopes'].includes('openid')) lines.push('auth.oidc.scopes: must contain openid');
  if (values['auth.oidc.username_claim'] === '') lines.push('auth.oidc.username_claim: must not be empty');
  const clientSecret = secretSource('auth.oidc.client_secret', values, lines);
  if (lines.length > before) return null;
  return {
    issuer: values['auth.oidc.issuer'],
    clientId: values['auth.oidc.client_id'],
    clientSecret,
    scopes: values['auth.oidc.scopes'],
    redirectUrl: values['auth.oidc.redirect_url'],
    endpointHosts: values['auth.oidc.endpoint_hosts'],
    claims: {
      usernameClaim: values['auth.oidc.username_claim'],
      roleClaim: values['auth.oidc.role_claim'],
      roleMap: values['auth.oidc.role_map'],
      defaultRole: values['auth.oidc.default_role'],
    },
    logoutMode: values['auth.oidc.logout_mode'],
  };
}

function checkIssuer(issuer: string, lines: string[]): void {
  if (issuer === '') return;
  const [, scheme, host] = URL_PARTS.exec(issuer) ?? [];
  if (scheme === undefined || host === undefined)
    lines.push('auth.oidc.issuer: must be https://HOST[:PORT][/PATH] without user, query and fragment');
  else if (scheme === 'http' && !LOOPBACK.test(host))
    lines.push('auth.oidc.issuer: must be https, because http is allowed on a loopback address only');
}

function checkRedirectUrl(url: string, lines: string[]): void {
  if (url === '') return;
  const [, scheme, , , path] = URL_PARTS.exec(url) ?? [];
  if (scheme === undefined || path !== OIDC_CALLBACK_PATH)
    lines.push(`auth.oidc.redirect_url: must be https://HOST[:PORT]${OIDC_CALLBACK_PATH}`);
}

function checkRoles(values: OidcValues, lines: string[]): void {
  const isMapped = values['auth.oidc.role_map'].size > 0;
  if (isMapped && values['auth.oidc.role_claim'] === '')
    lines.push('auth.oidc.role_claim: must be set if auth.oidc.role_map has entries');
  if (!isMapped && values['auth.oidc.default_role'] === null)
    lines.push('auth.oidc.role_map: must have an entry, or auth.oidc.default_role must be set');
}
