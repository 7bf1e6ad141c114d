import { hash } from 'node:crypto';
import { headerValues, type Header, type HttpRequest, type HttpResponse } from './message.ts';

/** Enough of a hash that no two bodies of one address ever share it by chance. */
const TAG_CHARACTERS = 22;
const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** What a cache may do with an answer that has a tag: keep it for this client, and ask each time whether it still holds. */
const REVALIDATE: Header = ['Cache-Control', 'private, no-cache'];

/**
 * An answer to GET or HEAD with the tag of its body (RFC 9110, 8.8.3). The tag is weak: it stands for the body before any
 * content coding. A streamed body has the tag that its handler has given it, if any. An answer that is no 200, or has no
 * tag, stays as it is; so does one that was tagged before.
 */
export function tagged(request: HttpRequest, response: HttpResponse): HttpResponse {
  const { status, headers, body } = response;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || status !== 200 || body instanceof Uint8Array) return response;
  // As bytes from here on: to be hashed, compressed and sent.
  const bytes = typeof body === 'string' ? Buffer.from(body) : null;
  const given = headers.find(([name]) => name === 'ETag')?.[1].replace(/^W\//, '');
  const tag = bytes === null ? given : etagOf(bytes);
  if (tag === undefined) return response;
  const own = headers.filter(([name]) => name !== 'ETag');
  return { ...response, headers: [...own, ['ETag', `W/${tag}`], REVALIDATE], body: bytes ?? body };
}

/** 304 in place of an answer with a tag when the client has its body already (RFC 9110, 13.1.2). */
export function conditional(request: HttpRequest, response: HttpResponse): HttpResponse {
  if (response.status !== 200) return response;
  const tag = response.headers.find(([name]) => name === 'ETag');
  if (tag === undefined || !matchesIfNoneMatch(request.headers, tag[1])) return response;
  return { status: 304, headers: [tag, REVALIDATE], body: null };
}

/** The tag of a body, without `W/`. */
export const etagOf = (body: Uint8Array): string =>
  `"${hash('sha256', body, 'base64url').slice(0, TAG_CHARACTERS)}"`;

/** Whether `If-None-Match` names the tag, by weak comparison. */
export function matchesIfNoneMatch(headers: readonly Header[], tag: string): boolean {
  const ifNoneMatch = headerValues(headers, 'if-none-match').join(',');
  if (ifNoneMatch.trim() === '*') return true;
  const wanted = tag.replace(/^W\//, '');
  return [...ifNoneMatch.matchAll(ENTITY_TAG)].some(([, opaque]) => opaque === wanted);
}
