import type { Header } from '../pipeline/message.ts';
import { headerValues } from '../pipeline/message.ts';

/**
 * Returns the error in the framing of a request, or null. The engine uses the first of several Content-Length headers
 * and supports only the chunked transfer coding: it could read a second request where a proxy in front has read a
 * body (docs/dependency-hazards.md#d13-ambiguous-request-framing).
 */
export function framingFault(headers: readonly Header[]): string | null {
  const lengths = headerValues(headers, 'content-length');
  const codings = headerValues(headers, 'transfer-encoding');
  const hosts = headerValues(headers, 'host');
  if (hosts.length !== 1)
    return hosts.length === 0 ? 'the Host header is missing' : 'more than one Host header';
  if (lengths.length > 1) return 'more than one Content-Length header';
  if (codings.length > 1) return 'more than one Transfer-Encoding header';
  if (lengths.length > 0 && codings.length > 0) return 'both Content-Length and Transfer-Encoding';
  if (lengths[0] !== undefined && !/^[0-9]{1,15}$/.test(lengths[0])) return 'Content-Length is not a number';
  if (codings[0] !== undefined && codings[0].toLowerCase() !== 'chunked')
    return 'Transfer-Encoding is not chunked';
  return null;
}
