import type { Header, HttpRequest } from '../pipeline/message.ts';
import { headerValues } from '../pipeline/message.ts';

const EXPOSED_HEADERS =
  'X-Request-ID, X-API-Version, Content-Disposition, ETag, Idempotency-Replayed, Location, Retry-After';
const ALLOWED_HEADERS = 'Accept, Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-ID';
const PREFLIGHT_SECONDS = '600';

/**
 * Origins that may read responses (docs/contract/authentication.md#csrf-and-cors). `origins` as configured; an empty
 * list means every origin, as `*` does.
 */
export class CorsPolicy {
  readonly #everyone: boolean;
  readonly #origins: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.#everyone = origins.length === 0 || origins.includes('*');
    this.#origins = new Set(origins);
  }

  /** Returns the CORS headers of any response. */
  headers(request: HttpRequest): readonly Header[] {
    const allowed = this.#allowedOrigin(request);
    const vary: readonly Header[] = this.#everyone ? [] : [['Vary', 'Origin']];
    if (allowed === null) return vary;
    return [
      ...vary,
      ['Access-Control-Allow-Origin', allowed],
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

  /**
   * Reports whether a page of the request's origin may open a WebSocket connection. Browsers send no preflight for
   * WebSockets, so the server must check the origin (ASVS 4.4.2). A request without an origin does not come from a
   * page.
   */
  allowsSocket(request: HttpRequest): boolean {
    const origins = headerValues(request.headers, 'origin');
    if (this.#everyone || origins.length === 0) return true;
    const host = headerValues(request.headers, 'host')[0]?.toLowerCase() ?? '';
    const isOwn = origins.length === 1 && origins[0]?.toLowerCase().replace(/^https?:\/\//, '') === host;
    return isOwn || this.#allowedOrigin(request) !== null;
  }

  #allowedOrigin(request: HttpRequest): string | null {
    if (this.#everyone) return '*';
    const origins = headerValues(request.headers, 'origin');
    const origin = origins[0];
    return origin !== undefined && origins.length === 1 && this.#origins.has(origin) ? origin : null;
  }
}
