import type { AuditLimits } from '../records/audit-entry.ts';
import type { SecretSource } from './secret-source.ts';

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
  /** Minimum length of a new password in characters. */
  readonly passwordLengthMin: number;
  readonly audit: AuditLimits;
}

/** Entries of senders without an identity, as a part of those of people. */
const STRANGERS_PART = 0.1;

/** Values of the keys of authentication. */
export interface AuthValues {
  readonly 'auth.enabled': boolean;
  readonly 'auth.bootstrap.username': string | null;
  readonly 'auth.bootstrap.password': string;
  readonly 'auth.bootstrap.password_file': string;
  readonly 'auth.session.cookie_name': string;
  readonly 'auth.session.cookie_secure': 'auto' | 'true' | 'false';
  readonly 'auth.session.ttl': number;
  readonly 'auth.validate_job_owner': boolean;
  readonly 'auth.password_length_min': number;
  readonly 'auth.audit_retention': number;
  readonly 'auth.audit_max_entries': number;
}

/** Returns the settings of authentication. Contradictions are added to `lines`. */
export function authConfig(values: AuthValues, lines: string[]): AuthConfig {
  const username = values['auth.bootstrap.username'];
  const text = values['auth.bootstrap.password'];
  const file = values['auth.bootstrap.password_file'];
  if (text !== '' && file !== '')
    lines.push('auth.bootstrap.password: cannot be set together with auth.bootstrap.password_file');
  const password = file !== '' ? { file } : text !== '' ? { text } : null;
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
    passwordLengthMin: values['auth.password_length_min'],
    audit: auditLimits(values),
  };
}

function auditLimits(values: AuthValues): AuditLimits {
  const people = values['auth.audit_max_entries'];
  const strangers = Math.ceil(people * STRANGERS_PART);
  return { retentionMs: values['auth.audit_retention'], entries: { people, strangers } };
}
