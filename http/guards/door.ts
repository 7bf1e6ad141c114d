import type { TrustedPeers } from '../../src/core/config/http-types.ts';
import type { Problem } from '../../src/core/problems.ts';
import { cookiesOf } from '../pipeline/cookies.ts';
import { headerValues, type HttpRequest } from '../pipeline/message.ts';
import { addressedHost, addressedScheme } from './forwarded.ts';
import type { KnownHosts } from './known-hosts.ts';
import { canonicalOrigin, claimedOrigin, type ListedOrigins } from './origin.ts';

export interface DoorSettings {
  readonly hosts: Pick<KnownHosts, 'has'>;
  readonly origins: ListedOrigins;
  /** `http.public_url`; null: none. */
  readonly publicUrl: string | null;
  readonly trusted: TrustedPeers;
  /** Name of the session cookie (`auth.session.cookie_name`); null while authentication is off. */
  readonly sessionCookie: string | null;
}

/** Purpose of a request. */
export type Purpose = 'request' | 'upgrade';

/** Methods that change nothing (RFC 9110, 9.2.1). */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Load balancers address an instance by any name, and the answers contain nothing of the farm. */
const HOST_FREE_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/**
 * Checks which host a request addresses and which page has sent it, before anything else of it is read
 * (docs/contract/authentication.md#csrf-and-cors).
 */
export class Door {
  readonly #settings: DoorSettings;
  readonly #publicOrigin: string | null;

  constructor(settings: DoorSettings) {
    this.#settings = settings;
    this.#publicOrigin = settings.publicUrl === null ? null : canonicalOrigin(settings.publicUrl);
  }

  /** Returns why a request is refused, or null: `misdirected` (421) for the host, `forbidden` (403) for the origin. */
  refusal(request: HttpRequest, purpose: Purpose): Problem | null {
    return this.hostRefusal(request) ?? this.#originRefusal(request, purpose);
  }

  /** Returns the refusal of a host that the service does not answer to, or null. */
  hostRefusal(request: HttpRequest): Problem | null {
    const { hosts, trusted } = this.#settings;
    if (HOST_FREE_PATHS.has(request.path)) return null;
    const given = [headerValues(request.headers, 'host')[0] ?? '', addressedHost(request, trusted)];
    const unknown = given.find((host) => !hosts.has(host));
    if (unknown === undefined) return null;
    const shown = JSON.stringify(unknown.slice(0, 100));
    return {
      kind: 'misdirected',
      detail: `the service does not answer to the host ${shown}; if it should, add the host to http.allowed_hosts`,
    };
  }

  #originRefusal(request: HttpRequest, purpose: Purpose): Problem | null {
    const { origins, sessionCookie } = this.#settings;
    if (purpose === 'request' && SAFE_METHODS.has(request.method)) return null;
    if (sessionCookie === null ? origins.mayAllWrite : !hasCookie(request, sessionCookie)) return null;
    const claimed = claimedOrigin(request);
    // Only browsers attach a cookie by themselves, and they name the page. Without a cookie, programs need not.
    if (claimed.kind === 'absent')
      return sessionCookie === null
        ? null
        : forbidden('a request with the session cookie needs an Origin', purpose);
    if (claimed.kind === 'origin' && this.#isAllowed(claimed.origin, request)) return null;
    return forbidden('pages of this origin are not allowed', purpose);
  }

  #isAllowed(origin: string, request: HttpRequest): boolean {
    const { origins, trusted } = this.#settings;
    if (origin === this.#publicOrigin || origins.has(origin)) return true;
    const own = `${addressedScheme(request, trusted)}://${addressedHost(request, trusted)}`;
    return origin === canonicalOrigin(own);
  }
}

const ACTIONS: Readonly<Record<Purpose, string>> = {
  request: 'to change anything',
  upgrade: 'to open the event channel',
};

const forbidden = (reason: string, purpose: Purpose): Problem => ({
  kind: 'forbidden',
  detail: `${reason} ${ACTIONS[purpose]} (http.cors_origins, http.public_url)`,
});

/** Reports whether a request carries a cookie of a name, with any value. */
const hasCookie = ({ headers }: HttpRequest, name: string): boolean =>
  cookiesOf(headers).some((cookie) => cookie.name === name);
