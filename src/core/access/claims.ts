import type { ExternalIdentity } from './external-identity.ts';
import { ROLES, type Role } from './permissions.ts';

/** How the claims of a provider become an account (docs/contract/authentication.md#oidc). */
export interface ClaimRules {
  /** Claim with the user name. */
  readonly usernameClaim: string;
  /** Claim with the values of `roleMap`; empty: none. */
  readonly roleClaim: string;
  readonly roleMap: ReadonlyMap<string, Role>;
  /** Role without a mapped value; null: no login. */
  readonly defaultRole: Role | null;
}

/** Claims about one user, as the provider sent them. */
export type Claims = Readonly<Record<string, unknown>>;

/** Reasons why verified claims give no account. */
export type ClaimsRefusal = 'no-subject' | 'no-username' | 'email-not-verified' | 'no-role';

export type MappedClaims =
  | { readonly ok: true; readonly identity: ExternalIdentity }
  | { readonly ok: false; readonly reason: ClaimsRefusal };

/** OpenID Connect Core, section 2: a subject has at most 255 characters. */
const SUBJECT_LENGTH_MAX = 255;
const USERNAME_LENGTH_MAX = 128;
const DISPLAY_NAME_LENGTH_MAX = 200;
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/**
 * Returns the user that verified claims describe, or why they describe none. Never throws.
 *
 * @param issuer - The issuer of the claims, verified.
 * @see docs/contract/authentication.md#oidc
 */
export function mapClaims(issuer: string, claims: Claims, rules: ClaimRules): MappedClaims {
  const subject = ownValue(claims, 'sub');
  if (!isName(subject, SUBJECT_LENGTH_MAX)) return { ok: false, reason: 'no-subject' };
  const username = findClaim(claims, rules.usernameClaim);
  if (!isName(username, USERNAME_LENGTH_MAX)) return { ok: false, reason: 'no-username' };
  // An address that the provider did not verify can be that of another person.
  if (rules.usernameClaim === 'email' && isDenied(ownValue(claims, 'email_verified')))
    return { ok: false, reason: 'email-not-verified' };
  const role = highestRole(claims, rules);
  if (role === null) return { ok: false, reason: 'no-role' };
  const name = ownValue(claims, 'name');
  const displayName = isName(name, DISPLAY_NAME_LENGTH_MAX) ? name : username;
  // An issuer is a URL and contains no space, so that two different pairs never give the same text.
  return { ok: true, identity: { externalId: `${issuer} ${subject}`, username, displayName, role } };
}

/** Reports whether the claims that the rules read are all present. */
export const hasMappedClaims = (claims: Claims, { usernameClaim, roleClaim }: ClaimRules): boolean =>
  [usernameClaim, roleClaim].every((name) => name === '' || findClaim(claims, name) !== undefined);

/**
 * Returns a claim by name. A claim with exactly this name takes precedence. Otherwise a dot separates the names of
 * nested objects: `realm_access.roles`. A member may contain dots itself. Undefined if there is none.
 */
function findClaim(value: unknown, name: string): unknown {
  const whole = ownValue(value, name);
  if (whole !== undefined) return whole;
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const inner = ownValue(value, name.slice(0, dot));
    const found = inner === undefined ? undefined : findClaim(inner, name.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the highest role that a value of the role claim maps to. */
function highestRole(claims: Claims, { roleClaim, roleMap, defaultRole }: ClaimRules): Role | null {
  const claim = roleClaim === '' ? undefined : findClaim(claims, roleClaim);
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  let highest: Role | null = null;
  for (const value of values) {
    const role = typeof value === 'string' ? roleMap.get(value) : undefined;
    if (role !== undefined && (highest === null || ROLES.indexOf(role) > ROLES.indexOf(highest)))
      highest = role;
  }
  return highest ?? defaultRole;
}

function ownValue(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

const isName = (value: unknown, max: number): value is string =>
  typeof value === 'string' &&
  value !== '' &&
  value.length <= max &&
  value.trim() === value &&
  !UNPRINTABLE.test(value);

/** Some providers send `"false"`. */
const isDenied = (verified: unknown): boolean => verified === false || verified === 'false';
