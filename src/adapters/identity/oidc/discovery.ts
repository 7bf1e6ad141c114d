import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
  type ClientAuth,
  type Configuration,
} from 'openid-client';
import type { OidcSettings } from '../../../core/config/oidc-settings.ts';
import { readSecret } from '../../system/secret-file.ts';
import { faultText } from './fault-text.ts';
import { EndpointHosts, guardedFetch } from './guarded-fetch.ts';

/** Configuration key of the file with the secret. */
export const SECRET_FILE_KEY = 'auth.oidc.client_secret_file';
/** Time limit of each request to the provider. */
const REQUEST_SECONDS = 10;
/** Accepted difference between the clocks of the service and the provider. */
export const CLOCK_TOLERANCE_SECONDS = 30;
const BACKOFF_MIN_MS = 1_000;
const BACKOFF_MAX_MS = 60_000;
/** Age from which the description of the provider is read again. */
const FRESH_MS = 3_600_000;

/** Thrown while the provider cannot be used. */
export class ProviderUnavailable extends Error {}

/**
 * The description of the provider, read at its first use. Concurrent uses share one request. After a failure, uses fail
 * at once until a growing time has passed (1 s to 60 s). A description is read again after one hour; if that fails, the
 * old one stays in use.
 */
export class Discovery {
  readonly #settings: OidcSettings;
  readonly #hosts: EndpointHosts;
  readonly #now: () => number;
  #known: { readonly configuration: Configuration; readonly freshUntil: number } | null = null;
  #pending: Promise<Configuration> | null = null;
  #failures = 0;
  #retryAt = 0;
  #lastFault = '';

  /** @param now - Milliseconds of a clock that never goes back. */
  constructor(settings: OidcSettings, now: () => number) {
    this.#settings = settings;
    this.#hosts = new EndpointHosts(settings.issuer, settings.endpointHosts);
    this.#now = now;
  }

  /** Reports whether the service may send a request to the URL. */
  allows(url: string): boolean {
    return this.#hosts.allows(url);
  }

  /** @throws ProviderUnavailable */
  async configuration(): Promise<Configuration> {
    const known = this.#known;
    if (known !== null && (this.#now() < known.freshUntil || this.#now() < this.#retryAt))
      return known.configuration;
    if (this.#pending === null && this.#now() < this.#retryAt)
      throw new ProviderUnavailable(`${this.#lastFault} (next attempt in ${this.#retryAt - this.#now()} ms)`);
    this.#pending ??= this.#discover().finally(() => {
      this.#pending = null;
    });
    return await this.#pending;
  }

  async #discover(): Promise<Configuration> {
    try {
      const configuration = await this.#request();
      this.#failures = 0;
      this.#known = { configuration, freshUntil: this.#now() + FRESH_MS };
      return configuration;
    } catch (error) {
      this.#lastFault = faultText(error);
      this.#retryAt = this.#now() + Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** this.#failures);
      this.#failures = Math.min(this.#failures + 1, 16);
      if (this.#known !== null) return this.#known.configuration;
      throw new ProviderUnavailable(this.#lastFault);
    }
  }

  async #request(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#settings;
    const secret = clientSecret === null ? null : readSecret(SECRET_FILE_KEY, clientSecret);
    const isLoopback = issuer.startsWith('http:');
    const configuration = await discovery(
      new URL(issuer),
      clientId,
      { [clockTolerance]: CLOCK_TOLERANCE_SECONDS },
      secret === null ? None() : authenticate(secret),
      {
        [customFetch]: guardedFetch(this.#hosts),
        timeout: REQUEST_SECONDS,
        // The signature of each ID token is checked with the keys of the provider.
        execute: [enableNonRepudiationChecks, ...(isLoopback ? [allowInsecureRequests] : [])],
      },
    );
    this.#assertEndpoints(configuration);
    return configuration;
  }

  #assertEndpoints(configuration: Configuration): void {
    const { authorization_endpoint, token_endpoint, jwks_uri } = configuration.serverMetadata();
    if (authorization_endpoint === undefined || !this.#isNavigable(authorization_endpoint))
      throw new Error('the provider names no https authorization_endpoint');
    for (const [name, url] of Object.entries({ token_endpoint, jwks_uri })) {
      if (url === undefined) throw new Error(`the provider names no ${name}`);
      if (!this.#hosts.allows(url))
        throw new Error(`the ${name} is on another host than the issuer: add it to auth.oidc.endpoint_hosts`);
    }
  }

  /** The browser goes there, not the service. */
  #isNavigable(url: string): boolean {
    return (URL.canParse(url) && new URL(url).protocol === 'https:') || this.#hosts.allows(url);
  }
}

/** Sends the secret as the provider supports it; HTTP Basic is the default of the specification. */
function authenticate(secret: string): ClientAuth {
  const basic = ClientSecretBasic(secret);
  const post = ClientSecretPost(secret);
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const method = methods.includes('client_secret_basic') ? basic : post;
    return method(server, client, body, headers);
  };
}
