import type { LoginRequest } from './identity-provider.ts';

/** Signs what a browser keeps of a login that it began (docs/decisions/oidc.md). */
export interface LoginTokens {
  /** Creates the secrets of a new login, and the token for the browser that begins it. */
  issue(login: BegunLogin): LoginRequest & { readonly token: string };
  /** Returns the login of a token; null if the token is forged, expired, or of another state. */
  open(state: string, token: string): OpenedLogin | null;
}

/** Facts about a login that its browser carries. */
export interface BegunLogin {
  /** Number of the login, for its single use. */
  readonly number: number;
  /** Page to show after the login. */
  readonly returnTo: string;
}

export interface OpenedLogin extends BegunLogin {
  readonly nonce: string;
  readonly codeVerifier: string;
}
