import type { Header, HttpRequest } from '../pipeline/message.ts';
import { headerValues } from '../pipeline/message.ts';
import { serializedOrigin, type ListedOrigins } from './origin.ts';

const EXPOSED_HEADERS =
  'X-Request-ID, X-API-Version, Content-Disposition, ETag, Idempotency-Replayed, Location, Retry-After, Callsheet-Stale';
const ALLOWED_HEADERS =
  'Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-ID';
const PREFLIGHT_SECONDS = '600';

/** Headers that let pages of other origins read responses (docs/contract/authentication.md#csrf-and-cors). */
export class CorsPolicy {
  readonly #origins: ListedOrigins;
  readonly #isAuthenticated: boolean;

  /** `isAuthenticated` is true while authentication is on: pages of listed origins may then send the session cookie. */
  constructor(origins: ListedOrigins, isAuthenticated: boolean) {
    this.#origins = origins;
    this.#isAuthenticated = isAuthenticated;
  }

  /** Returns the CORS headers of any response. */
  headers(request: HttpRequest): readonly Header[] {
    const allowed = this.#allowedOrigin(request);
    const vary: readonly Header[] = this.#origins.mayAllRead ? [] : [['Vary', 'Origin']];
    if (allowed === null) return vary;
    return [
      ...vary,
      ['Access-Control-Allow-Origin', allowed],
      ...(this.#isAuthenticated ? [['Access-Control-Allow-Credentials', 'true'] as const] : []),
      ['Access-Control-Expose-Headers', EXPOSED_HEADERS],
    ];
  }

  /**
   * Returns the additional headers of a response to OPTIONS, if the request may be a preflight of an allowed origin.
   */
  preflightHeaders(request: HttpRequest, methods: string): readonly Header[] {
    if (this.#allowedOrigin(request) === null) return [];
    return [
      ['Access-Control-Allow-Methods', methods],
      ['Access-Control-Allow-Headers', ALLOWED_HEADERS],
      ['Access-Control-Max-Age', PREFLIGHT_SECONDS],
    ];
  }

  #allowedOrigin(request: HttpRequest): string | null {
    if (this.#origins.mayAllRead) return '*';
    const [text = '', second] = headerValues(request.headers, 'origin');
    const origin = second === undefined ? serializedOrigin(text) : null;
    return origin !== null && this.#origins.has(origin) ? origin : null;
  }
}
