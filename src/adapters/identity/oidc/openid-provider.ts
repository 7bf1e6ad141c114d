import {
  authorizationCodeGrant,
  AuthorizationResponseError,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  fetchUserInfo,
  type Configuration,
} from 'openid-client';
import { hasMappedClaims, mapClaims, type Claims } from '../../../core/access/claims.ts';
import type { ExternalIdentity } from '../../../core/access/external-identity.ts';
import type { OidcSettings } from '../../../core/config/oidc-settings.ts';
import type {
  CallbackParameters,
  IdentityProvider,
  LoginAnswer,
  LoginRequest,
  ProviderResult,
} from '../../../core/ports/identity-provider.ts';
import { readSecret } from '../../system/secret-file.ts';
import { CLOCK_TOLERANCE_SECONDS, Discovery, ProviderUnavailable, SECRET_FILE_KEY } from './discovery.ts';
import { faultText } from './fault-text.ts';

/** Parameters of a callback that are used. Others are ignored. */
const ANSWER_PARAMETERS = ['code', 'state', 'iss', 'error'] as const;

/** Page to which the provider returns a browser that signed out. It must be registered at the provider. */
const AFTER_LOGOUT = '/sign-in';

/** Clocks of the adapter, in milliseconds. */
interface Clocks {
  /** Since the epoch. */
  now(): number;
  /** Never goes back. */
  steadyNow(): number;
}

/**
 * Returns the provider of the settings. Sends no request: the provider is contacted at the first login.
 *
 * @throws Error that names the key if the secret cannot be read.
 * @see docs/contract/authentication.md#oidc
 */
export function openIdProvider(settings: OidcSettings, clocks: Clocks): IdentityProvider {
  // An unreadable file stops the start; it is read again with each description of the provider.
  if (settings.clientSecret !== null) readSecret(SECRET_FILE_KEY, settings.clientSecret);
  return new OpenIdProvider(settings, clocks);
}

class OpenIdProvider implements IdentityProvider {
  readonly #settings: OidcSettings;
  readonly #clocks: Clocks;
  readonly #discovery: Discovery;

  constructor(settings: OidcSettings, clocks: Clocks) {
    this.#settings = settings;
    this.#clocks = clocks;
    this.#discovery = new Discovery(settings, () => clocks.steadyNow());
  }

  async loginUrl({ state, nonce, codeChallenge }: LoginRequest): Promise<ProviderResult<string>> {
    try {
      const configuration = await this.#discovery.configuration();
      const url = buildAuthorizationUrl(configuration, {
        response_type: 'code',
        redirect_uri: this.#settings.redirectUrl,
        scope: this.#settings.scopes.join(' '),
        state,
        nonce,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
      });
      return { ok: true, value: url.href };
    } catch (error) {
      return { ok: false, fault: 'unavailable', detail: faultText(error) };
    }
  }

  async identify(answer: LoginAnswer): Promise<ProviderResult<ExternalIdentity>> {
    try {
      const configuration = await this.#discovery.configuration();
      const { issuer, claims } = await this.#verifiedClaims(configuration, answer);
      const mapped = mapClaims(issuer, claims, this.#settings.claims);
      if (mapped.ok) return { ok: true, value: mapped.identity };
      const fault = mapped.reason === 'no-role' ? 'no-role' : 'no-username';
      return { ok: false, fault, detail: mapped.reason };
    } catch (error) {
      if (error instanceof ProviderUnavailable)
        return { ok: false, fault: 'unavailable', detail: error.message };
      const fault = error instanceof AuthorizationResponseError ? 'declined' : 'invalid';
      return { ok: false, fault, detail: faultText(error) };
    }
  }

  async logoutUrl(): Promise<ProviderResult<string | null>> {
    try {
      const configuration = await this.#discovery.configuration();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return { ok: true, value: null };
      const back = new URL(AFTER_LOGOUT, this.#settings.redirectUrl).href;
      // Without an ID token, which is not stored, the provider identifies the service by `client_id`.
      return { ok: true, value: buildEndSessionUrl(configuration, { post_logout_redirect_uri: back }).href };
    } catch (error) {
      return { ok: false, fault: 'unavailable', detail: faultText(error) };
    }
  }

  /** Returns the claims of the ID token, completed from the userinfo endpoint if one that is mapped is missing. */
  async #verifiedClaims(
    configuration: Configuration,
    { state, nonce, codeVerifier, parameters }: LoginAnswer,
  ): Promise<{ readonly issuer: string; readonly claims: Claims }> {
    const tokens = await authorizationCodeGrant(configuration, this.#callbackUrl(parameters), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: codeVerifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('the answer has no ID token');
    if (claims.iat * 1000 > this.#clocks.now() + CLOCK_TOLERANCE_SECONDS * 1000)
      throw new Error('the ID token was issued in the future: compare the clocks');
    const issuer = claims.iss;
    if (hasMappedClaims(claims, this.#settings.claims) || !this.#hasUserInfo(configuration))
      return { issuer, claims };
    const more = await fetchUserInfo(configuration, tokens.access_token, claims.sub);
    return { issuer, claims: { ...more, ...claims } };
  }

  #hasUserInfo(configuration: Configuration): boolean {
    const { userinfo_endpoint } = configuration.serverMetadata();
    return userinfo_endpoint !== undefined && this.#discovery.allows(userinfo_endpoint);
  }

  /** Builds the address of the callback from the configuration, never from the request. */
  #callbackUrl(parameters: CallbackParameters): URL {
    const url = new URL(this.#settings.redirectUrl);
    for (const name of ANSWER_PARAMETERS) {
      const value = parameters[name];
      if (value !== undefined) url.searchParams.set(name, value);
    }
    return url;
  }
}
