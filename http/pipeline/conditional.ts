import { hash } from 'node:crypto';
import { headerValues, type Header, type HttpRequest, type HttpResponse } from './message.ts';

/** Enough of a hash that no two bodies of one address ever share it by chance. */
const TAG_CHARACTERS = 22;
const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** What a cache may do with an answer that has a tag: keep it for this client, and ask each time whether it still holds. */
const REVALIDATE: Header = ['Cache-Control', 'private, no-cache'];

/**
 * An answer to GET or HEAD with the tag of its body, or 304 when the client has that body already (RFC 9110, 13.1.2). The
 * tag is weak: it stands for the body before any content coding. A streamed body has the tag that its handler has given
 * it, if any. An answer that is no 200, or has no tag, stays as it is.
 */
export function conditional(request: HttpRequest, response: HttpResponse): HttpResponse {
  const { status, headers, body } = response;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || status !== 200) return response;
  const given = headers.find(([name]) => name === 'ETag')?.[1].replace(/^W\//, '');
  const tag = typeof body === 'string' ? tagOf(body) : given;
  if (tag === undefined) return response;
  const tagged: readonly Header[] = [['ETag', `W/${tag}`], REVALIDATE];
  return isKnown(tag, headerValues(request.headers, 'if-none-match').join(','))
    ? { status: 304, headers: tagged, body: null }
    : { ...response, headers: [...headers.filter(([name]) => name !== 'ETag'), ...tagged] };
}

const tagOf = (body: string): string => `"${hash('sha256', body, 'base64url').slice(0, TAG_CHARACTERS)}"`;

/** Whether `If-None-Match` names the tag, by weak comparison. */
function isKnown(tag: string, ifNoneMatch: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return [...ifNoneMatch.matchAll(ENTITY_TAG)].some(([, opaque]) => opaque === tag);
}
