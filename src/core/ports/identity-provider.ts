import type { ExternalIdentity } from '../access/external-identity.ts';

/** A provider of logins outside of the service, by OpenID Connect (docs/contract/authentication.md#oidc). */
export interface IdentityProvider {
  /** Returns the address at the provider where a browser signs in. */
  loginUrl(request: LoginRequest): Promise<ProviderResult<string>>;
  /** Exchanges the answer of the provider for a verified user. */
  identify(answer: LoginAnswer): Promise<ProviderResult<ExternalIdentity>>;
  /** Returns the address at the provider where a browser signs out, null if the provider has none. */
  logoutUrl(): Promise<ProviderResult<string | null>>;
}

/** Secrets of one login that the provider must return or check. */
export interface LoginRequest {
  readonly state: string;
  readonly nonce: string;
  /** PKCE, S256. */
  readonly codeChallenge: string;
}

/** The redirect of the provider, with the secrets of its login. */
export interface LoginAnswer {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly parameters: CallbackParameters;
}

/** Parameters that the provider sends with the browser, each at most once. */
export interface CallbackParameters {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
}

/** Reasons why a login by the provider fails. */
export type ProviderFault =
  /** Not reachable, or its description is not valid. */
  | 'unavailable'
  /** The user or the provider declined. */
  | 'declined'
  /** The answer did not pass the checks. */
  | 'invalid'
  /** The user has no role here. */
  | 'no-role'
  /** The claims contain no usable user name. */
  | 'no-username';

export type ProviderResult<T> =
  | { readonly ok: true; readonly value: T }
  /** `detail` is for the log: it contains no secrets. */
  | { readonly ok: false; readonly fault: ProviderFault; readonly detail: string };
