import type { IncomingMessage } from 'node:http';
import type { Problem } from '../../../src/core/problems.ts';
import type { Header } from '../../pipeline/message.ts';
import { HEAD_BYTES_MAX, HEADERS_MAX, LATE_HEAD, type EngineRequest } from '../engine.ts';

/** Reads a text that Node decoded as Latin-1 as UTF-8. */
const utf8 = (text: string): string =>
  /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text, 'latin1').toString('utf8');

/** Writes a text so that Node, which encodes headers as Latin-1, sends UTF-8. */
export const latin1 = (text: string): string =>
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
    path: query < 0 ? url : url.slice(0, query),
    query: query < 0 ? '' : url.slice(query + 1),
    headers,
    remoteAddress: message.socket.remoteAddress ?? '',
  };
}

const ONLY_HTTP_1_1 = 'only HTTP/1.1 with a path as the target is supported';
const MALFORMED_HEAD = 'the head of the request is malformed';

/** Returns why the head of a request is refused before its path is considered, or null. */
export function headFault({ httpVersion, url = '', rawHeaders }: IncomingMessage): Problem | null {
  // A request line without a version.
  if (httpVersion === '0.9') return malformed(MALFORMED_HEAD);
  if (httpVersion !== '1.1' || !url.startsWith('/'))
    return { kind: 'version-not-supported', detail: ONLY_HTTP_1_1 };
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

const malformed = (detail: string): Problem => ({ kind: 'bad-request', detail });

/** Returns the refusal of a head that Node could not parse. Codes and reasons are those of its parser, llhttp. */
export function parserFault(error: NodeJS.ErrnoException): Problem {
  const reason = 'reason' in error ? String(error.reason) : '';
  if (reason.includes('present with')) return malformed('both Content-Length and Transfer-Encoding');
  switch (error.code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return LATE_HEAD;
    case 'HPE_HEADER_OVERFLOW':
      return { kind: 'head-too-large', detail: `the head of the request exceeds ${HEAD_BYTES_MAX} bytes` };
    case 'HPE_INVALID_VERSION':
    case 'HPE_PAUSED_H2_UPGRADE':
      return { kind: 'version-not-supported', detail: ONLY_HTTP_1_1 };
    case 'HPE_INVALID_TRANSFER_ENCODING':
      return malformed('Transfer-Encoding is not chunked');
    case 'HPE_INVALID_CONTENT_LENGTH':
      return malformed('Content-Length is not a number');
    case 'HPE_UNEXPECTED_CONTENT_LENGTH':
      return malformed('more than one Content-Length header');
    default:
      return malformed(MALFORMED_HEAD);
  }
}
