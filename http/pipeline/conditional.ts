import { hash } from 'node:crypto';
import { headerValues, type Header, type HttpRequest, type HttpResponse } from './message.ts';

/** Length of a hash at which collisions at one address are practically impossible. */
const TAG_CHARACTERS = 22;
const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** Allows a cache to store a tagged response for this client and requires revalidation. */
const REVALIDATE: Header = ['Cache-Control', 'private, no-cache'];

/**
 * Adds an entity tag to a response to GET or HEAD (RFC 9110, 8.8.3). The tag is weak: it stands for the body before
 * any content coding. A stream gets the tag of its handler, if any. A tag that the handler of another body gives is the
 * version of its settings, and is added to the hash; so it is in responses to changes, too. A response other than 200,
 * without a tag or already tagged stays unchanged.
 */
export function tagged(request: HttpRequest, response: HttpResponse): HttpResponse {
  const { status, headers, body } = response;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const given = headers.find(([name]) => name === 'ETag')?.[1].replace(/^W\//, '');
  const isChange = !isRead && given !== undefined && (status === 200 || status === 201);
  if (!isChange && (!isRead || status !== 200 || body instanceof Uint8Array)) return response;
  // Converted to bytes once, to be hashed, compressed and sent.
  const bytes = typeof body === 'string' ? Buffer.from(body) : null;
  const tag = bytes === null ? given : tagWith(etagOf(bytes), given);
  if (tag === undefined) return response;
  const own = headers.filter(([name]) => name !== 'ETag');
  const caches = isChange ? [] : [REVALIDATE];
  return { ...response, headers: [...own, ['ETag', `W/${tag}`], ...caches], body: bytes ?? body };
}

/** Returns a tag with the version of settings, if any, after a dot. */
const tagWith = (tag: string, version: string | undefined): string =>
  version === undefined ? tag : `${tag.slice(0, -1)}.${version.slice(1)}`;

/** A body that is kept, with the headers that its tag needs. `tagged` leaves it as it is. */
export interface TaggedBytes {
  readonly headers: readonly Header[];
  readonly bytes: Uint8Array;
}

/** Returns the bytes, or those of a text, with the headers that `tagged` adds to a response. */
export function taggedBytes(body: string | Uint8Array): TaggedBytes {
  const bytes = Buffer.from(body);
  return { headers: [['ETag', `W/${etagOf(bytes)}`], REVALIDATE], bytes };
}

/** Returns 304 in place of a tagged response if the client already has the body (RFC 9110, 13.1.2). */
export function conditional(request: HttpRequest, response: HttpResponse): HttpResponse {
  if (response.status !== 200) return response;
  const tag = response.headers.find(([name]) => name === 'ETag');
  if (tag === undefined || !matchesIfNoneMatch(request.headers, tag[1])) return response;
  return { status: 304, headers: [tag, REVALIDATE], body: null };
}

/** Returns the tag of a body, without `W/`. */
export const etagOf = (body: Uint8Array): string =>
  `"${hash('sha256', body, 'base64url').slice(0, TAG_CHARACTERS)}"`;

/** Reports whether `If-None-Match` contains the tag, by weak comparison. */
export function matchesIfNoneMatch(headers: readonly Header[], tag: string): boolean {
  const ifNoneMatch = headerValues(headers, 'if-none-match').join(',');
  if (ifNoneMatch.trim() === '*') return true;
  const wanted = tag.replace(/^W\//, '');
  return [...ifNoneMatch.matchAll(ENTITY_TAG)].some(([, opaque]) => opaque === wanted);
}
