import type { ExternalIdentity } from '../../src/core/access/external-identity.ts';
import { returnPath } from '../../src/core/access/return-path.ts';
import { SingleUse } from '../../src/core/access/single-use.ts';
import type {
  CallbackParameters,
  IdentityProvider,
  ProviderResult,
} from '../../src/core/ports/identity-provider.ts';
import type { LoginTokens } from '../../src/core/ports/login-tokens.ts';
import type { Header } from '../pipeline/message.ts';
import {
  clearLoginCookie,
  loginCookieName,
  loginCookies,
  LOGINS_PER_BROWSER,
  setLoginCookie,
} from './login-cookies.ts';
import type { LoginError } from './login-error.ts';

/** Logins that can be finished at the same time: one bit each. A login beyond it ends the oldest. */
const LOGINS_MAX = 1 << 20;

const STATE = /^[A-Za-z0-9_-]{43}$/;

/** Dependencies of the sign-in by a provider. */
export interface OidcSignInParts {
  readonly provider: IdentityProvider;
  readonly tokens: LoginTokens;
  /** Time in which a login must be finished. */
  readonly loginSeconds: number;
  /** True if browsers reach the service by https. */
  readonly isSecure: boolean;
  /** True if a logout also ends the session at the provider (`auth.oidc.logout_mode`). */
  readonly endsProviderSession: boolean;
}

export type BegunSignIn =
  | { readonly ok: true; readonly url: string; readonly cookies: readonly Header[] }
  | SignInFault;

export type FinishedSignIn =
  | {
      readonly ok: true;
      readonly identity: ExternalIdentity;
      readonly returnTo: string;
      readonly cookies: readonly Header[];
    }
  | (SignInFault & { readonly cookies: readonly Header[] });

export interface SignInFault {
  readonly ok: false;
  readonly error: LoginError;
  /** For the log, without secrets. */
  readonly detail: string;
}

/**
 * Sign-in by a provider: begins logins and checks their end. A login is bound to the browser that began it by a signed
 * cookie, and can be finished once. The memory does not grow with the number of logins.
 *
 * @see docs/decisions/oidc.md
 */
export class OidcSignIn {
  readonly #parts: OidcSignInParts;
  readonly #logins = new SingleUse(LOGINS_MAX);

  constructor(parts: OidcSignInParts) {
    this.#parts = parts;
  }

  /** Begins a login. The result has the address at the provider, and cookies for the browser. */
  async begin(returnTo: string | undefined, headers: readonly Header[]): Promise<BegunSignIn> {
    const { provider, tokens, loginSeconds, isSecure } = this.#parts;
    const login = tokens.issue({ number: this.#logins.issue(), returnTo: returnPath(returnTo) });
    const url = await provider.loginUrl(login);
    if (!url.ok) return { ok: false, error: url.fault, detail: url.detail };
    const cookie = { name: loginCookieName(login.state, isSecure), value: login.token };
    const excess = loginCookies(headers, isSecure).slice(0, -(LOGINS_PER_BROWSER - 1));
    return {
      ok: true,
      url: url.value,
      cookies: [
        setLoginCookie(cookie, loginSeconds, isSecure),
        ...excess.map(({ name }) => clearLoginCookie(name, isSecure)),
      ],
    };
  }

  /** Checks the end of a login. `parameters` are those of the callback, each at most once. */
  async finish(parameters: CallbackParameters, headers: readonly Header[]): Promise<FinishedSignIn> {
    const { provider, tokens, isSecure } = this.#parts;
    const { state } = parameters;
    const expired = (detail: string, cookies: readonly Header[] = []): FinishedSignIn => ({
      ok: false,
      error: 'expired',
      detail,
      cookies,
    });
    if (state === undefined || !STATE.test(state)) return expired('the callback has no valid state');
    const name = loginCookieName(state, isSecure);
    const found = loginCookies(headers, isSecure).filter((cookie) => cookie.name === name);
    const [cookie] = found;
    if (cookie === undefined) return expired('the browser has no cookie of this login');
    const cookies = [clearLoginCookie(name, isSecure)];
    const login = found.length > 1 ? null : tokens.open(state, cookie.value);
    if (login === null) return expired('the cookie of the login is not valid', cookies);
    if (!this.#logins.use(login.number)) return expired('the login was finished before', cookies);
    const { nonce, codeVerifier, returnTo } = login;
    const result = await provider.identify({ state, nonce, codeVerifier, parameters });
    return result.ok
      ? { ok: true, identity: result.value, returnTo, cookies }
      : { ok: false, error: result.fault, detail: result.detail, cookies };
  }

  /** Returns the address where the browser ends its session at the provider; null if it need not. */
  async logoutUrl(): Promise<ProviderResult<string | null>> {
    if (!this.#parts.endsProviderSession) return { ok: true, value: null };
    return await this.#parts.provider.logoutUrl();
  }
}
