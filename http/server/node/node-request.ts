import type { IncomingMessage } from 'node:http';
import type { Problem } from '../../../src/core/problems.ts';
import type { Header } from '../../pipeline/message.ts';
import { HEADERS_MAX, LATE_HEAD, type EngineRequest } from '../engine.ts';

/** Reads a text that Node decoded as Latin-1 as UTF-8. */
const utf8 = (text: string): string =>
  // eslint-disable-next-line no-control-regex -- every ASCII text is also UTF-8
  /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text, 'latin1').toString('utf8');

/** Writes a text so that Node, which encodes headers as Latin-1, sends UTF-8. */
export const latin1 = (text: string): string =>
  // eslint-disable-next-line no-control-regex -- every ASCII text is also UTF-8
  /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');

/** Returns the head of a request as the engine's port has it. */
export function requestOf(message: IncomingMessage): EngineRequest {
  const { rawHeaders, url = '' } = message;
  const headers: Header[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.push([(rawHeaders[at] ?? '').toLowerCase(), utf8(rawHeaders[at + 1] ?? '')]);
  }
  const query = url.indexOf('?');
  return {
    method: message.method ?? '',
    path: utf8(query < 0 ? url : url.slice(0, query)),
    query: query < 0 ? '' : utf8(url.slice(query + 1)),
    headers,
    remoteAddress: message.socket.remoteAddress ?? '',
  };
}

/** Returns why the head of a request is refused before its path is considered, or null. */
export function headFault({ httpVersion, url = '', rawHeaders }: IncomingMessage): Problem | null {
  if (httpVersion !== '1.1' || !url.startsWith('/')) {
    return { kind: 'version-not-supported', detail: 'only HTTP/1.1 with a path as the target is supported' };
  }
  if (rawHeaders.length > 2 * HEADERS_MAX) {
    return { kind: 'head-too-large', detail: `the request has more than ${HEADERS_MAX} headers` };
  }
  return null;
}

/** The path in a head that Node could not parse; `/` if it cannot be seen. */
export function pathOf(error: NodeJS.ErrnoException): string {
  const bytes = 'rawPacket' in error && error.rawPacket instanceof Uint8Array ? error.rawPacket : null;
  if (bytes === null) return '/';
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 2_048)).toString('latin1');
  return /^[A-Z]+ (\/[^ ?\r\n]*)[^ \r\n]* HTTP\/1\.1\r\n/.exec(text)?.[1] ?? '/';
}

/** Returns the refusal of a head that Node could not parse. The parser's codes are those of llhttp. */
export function parserFault(error: NodeJS.ErrnoException): Problem {
  const reason = 'reason' in error ? String(error.reason) : '';
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return LATE_HEAD;
    case 'HPE_HEADER_OVERFLOW':
      return { kind: 'head-too-large', detail: 'the head of the request is too large' };
    case 'HPE_INVALID_VERSION':
      return { kind: 'version-not-supported', detail: 'only HTTP/1.1 is supported' };
    case 'HPE_INVALID_TRANSFER_ENCODING':
      return { kind: 'bad-request', detail: 'Transfer-Encoding is not chunked' };
    case 'HPE_INVALID_CONTENT_LENGTH':
      return { kind: 'bad-request', detail: 'Content-Length is not a number' };
    case 'HPE_UNEXPECTED_CONTENT_LENGTH':
      return reason.includes('already')
        ? { kind: 'bad-request', detail: 'more than one Content-Length header' }
        : { kind: 'bad-request', detail: 'both Content-Length and Transfer-Encoding' };
    default:
      return { kind: 'bad-request', detail: 'the head of the request is malformed' };
  }
}
