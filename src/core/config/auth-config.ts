import { oidcSettings, type OidcSettings, type OidcValues } from './oidc-settings.ts';
import { ldapSettings, type LdapSettings, type LdapValues } from './ldap-settings.ts';
import { secretSource, type SecretSource } from './secret-source.ts';

/** Settings of authentication (docs/contract/authentication.md). Times are in milliseconds. */
export interface AuthConfig {
  readonly enabled: boolean;
  /** The first administrator; null if none is configured. */
  readonly bootstrap: { readonly username: string; readonly password: NonNullable<SecretSource> } | null;
  readonly session: {
    readonly cookieName: string;
    readonly cookieSecure: 'auto' | 'true' | 'false';
    readonly ttlMs: number;
  };
  readonly validateJobOwner: boolean;
  readonly slowsFailedLogins: boolean;
  /** Minimum length of a new password in characters. */
  readonly passwordLengthMin: number;
  /** Null: no sign-in by a provider. */
  readonly oidc: OidcSettings | null;
  /** Null: logins ask no directory. */
  readonly ldap: LdapSettings | null;
}

/** Values of the keys of authentication. */
export interface AuthValues extends OidcValues, LdapValues {
  readonly 'auth.enabled': boolean;
  readonly 'auth.bootstrap.username': string | null;
  readonly 'auth.bootstrap.password': string;
  readonly 'auth.bootstrap.password_file': string;
  readonly 'auth.session.cookie_name': string;
  readonly 'auth.session.cookie_secure': 'auto' | 'true' | 'false';
  readonly 'auth.session.ttl': number;
  readonly 'auth.validate_job_owner': boolean;
  readonly 'auth.login_throttle': boolean;
  readonly 'auth.password_length_min': number;
}

/** Returns the settings of authentication. Contradictions are added to `lines`, risks and keys without effect to `notes`. */
export function authConfig(values: AuthValues, lines: string[], notes: string[]): AuthConfig {
  const username = values['auth.bootstrap.username'];
  const password = secretSource('auth.bootstrap.password', values, lines);
  if ((username === null) !== (password === null)) {
    const missing = username === null ? 'auth.bootstrap.username' : 'auth.bootstrap.password';
    lines.push(`${missing}: must be set, because the other half of the first administrator is set`);
  }
  return {
    enabled: values['auth.enabled'],
    bootstrap: username === null || password === null ? null : { username, password },
    session: {
      cookieName: values['auth.session.cookie_name'],
      cookieSecure: values['auth.session.cookie_secure'],
      ttlMs: values['auth.session.ttl'],
    },
    validateJobOwner: values['auth.validate_job_owner'],
    slowsFailedLogins: values['auth.login_throttle'],
    passwordLengthMin: values['auth.password_length_min'],
    oidc: oidcSettings(values, lines, notes),
    ldap: ldapSettings(values, lines, notes),
  };
}
