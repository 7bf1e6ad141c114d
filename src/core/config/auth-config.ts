import { oidcSettings, type OidcSettings, type OidcValues } from './oidc-settings.ts';
import type { AuditSettings } from '../records/audit-entry.ts';
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
  readonly audit: AuditSettings;
  /** Null: logins ask no directory. */
  readonly ldap: LdapSettings | null;
}

/** Entries of senders without an identity, and those of decisions, each as a part of those of people. */
const OTHERS_PART = 0.1;

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
  readonly 'auth.audit_retention': number;
  readonly 'auth.audit_max_entries': number;
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
    audit: auditSettings(values),
    ldap: ldapSettings(values, lines, notes),
  };
}

function auditSettings(values: AuthValues): AuditSettings {
  const people = values['auth.audit_max_entries'];
  const others = Math.ceil(people * OTHERS_PART);
  return {
    isOn: values['auth.enabled'],
    retentionMs: values['auth.audit_retention'],
    entries: { people, strangers: others, service: others },
  };
}
