import { headerValues, type HttpRequest } from '../pipeline/message.ts';

const SERIALIZED =
  /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::[0-9]{1,5})?$/;

/**
 * Returns the origin of a text that is exactly one serialized origin (RFC 6454, 6.2), as browsers send it; null for
 * every other text: `null`, another case, a default port, a path, user information, an IDN that is not encoded, a
 * trailing dot, a list.
 */
export function serializedOrigin(text: string): string | null {
  if (!SERIALIZED.test(text)) return null;
  // Other schemes have no default port, and their hosts no further rules.
  if (!text.startsWith('http://') && !text.startsWith('https://')) return text;
  return URL.canParse(text) && new URL(text).origin === text ? text : null;
}

/** Returns the serialized form of an origin with an upper case host or a default port; null if it is not an origin. */
export function canonicalOrigin(text: string): string | null {
  const lower = text.toLowerCase();
  const isWeb = lower.startsWith('http://') || lower.startsWith('https://');
  return serializedOrigin(isWeb && URL.canParse(lower) ? new URL(lower).origin : lower);
}

/** Sender of a request, as its headers name it. */
export type ClaimedOrigin =
  /** Neither `Origin` nor, if it was looked for, `Referer`. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'origin'; readonly origin: string }
  /** Not a single serialized origin. */
  | { readonly kind: 'invalid' };

/**
 * Returns the origin of the page that sent a request: `Origin`, or without it the origin of `Referer`. A repeated header
 * is invalid.
 */
export function claimedOrigin({ headers }: Pick<HttpRequest, 'headers'>): ClaimedOrigin {
  const origins = headerValues(headers, 'origin');
  if (origins.length > 0) return claimed(origins, serializedOrigin);
  const referers = headerValues(headers, 'referer');
  return referers.length > 0 ? claimed(referers, originOfReferer) : { kind: 'absent' };
}

function claimed(values: readonly string[], read: (text: string) => string | null): ClaimedOrigin {
  const [value = '', second] = values;
  const origin = second === undefined ? read(value) : null;
  return origin === null ? { kind: 'invalid' } : { kind: 'origin', origin };
}

/** Returns the origin of an absolute URL without user information. */
function originOfReferer(referer: string): string | null {
  const [before = ''] = /^[^/?#]*\/\/[^/?#\\]*(?=[/?#]|$)/.exec(referer) ?? [];
  return serializedOrigin(before);
}

/** Origins as the operator has listed them (`http.cors_origins`), and what an unlisted one may do. */
export class ListedOrigins {
  readonly #listed: ReadonlySet<string>;
  /** True if pages of every origin may read answers: `*`, or an empty list, which means the same for reads. */
  readonly mayAllRead: boolean;
  /** True if pages of every origin may change something: only a written `*` allows it. */
  readonly mayAllWrite: boolean;

  /** `isAuthenticated` is true while authentication is on: `*` has no effect then. */
  constructor(configured: readonly string[], isAuthenticated: boolean) {
    this.#listed = new Set(configured.flatMap((entry) => canonicalOrigin(entry) ?? []));
    this.mayAllWrite = !isAuthenticated && configured.includes('*');
    this.mayAllRead = this.mayAllWrite || (!isAuthenticated && configured.length === 0);
  }

  /** `origin` is serialized. */
  has(origin: string): boolean {
    return this.#listed.has(origin);
  }
}
