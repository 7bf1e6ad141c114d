import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptedCodings } from './accepted-codings.ts';
import type { Header, HttpRequest, HttpResponse } from './message.ts';

/** Smaller bodies gain too little. */
export const COMPRESSED_BYTES_MIN = 1024;
/** Lists of records are repetitive: a higher level makes them hardly smaller. */
const LEVEL = 3;

/** Its data is compressed already. */
const COMPRESSED_IMAGE = 'image/webp';
const VARY: Header = ['Vary', 'Accept-Encoding'];

/** Runs on a thread of the pool. */
const compress = promisify(gzip);

/**
 * Compresses a response with gzip if the client prefers that (RFC 9110, 12.5.3). Streams stay uncompressed, so that
 * each line arrives when it is written.
 */
export function compressed(
  request: HttpRequest,
  response: HttpResponse,
): HttpResponse | Promise<HttpResponse> {
  const { status, headers, body } = response;
  if (status === 304) return { ...response, headers: [...headers, VARY] };
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return response;
  if (headers.some(([name, value]) => name === 'Content-Type' && value === COMPRESSED_IMAGE)) return response;
  const varying: HttpResponse = { ...response, headers: [...headers, VARY] };
  if (Buffer.byteLength(body) < COMPRESSED_BYTES_MIN || !prefersGzip(request.headers)) return varying;
  return compress(body, { level: LEVEL }).then((bytes) => ({
    ...varying,
    headers: [...varying.headers, ['Content-Encoding', 'gzip']],
    body: bytes,
  }));
}

/** Reports whether gzip is acceptable and preferred at least as much as no coding. */
function prefersGzip(headers: readonly Header[]): boolean {
  const wanted = acceptedCodings(headers);
  if (wanted === null) return false;
  const gzipWeight = wanted.get('gzip') ?? wanted.get('x-gzip') ?? wanted.get('*') ?? 0;
  return gzipWeight > 0 && gzipWeight >= (wanted.get('identity') ?? 0);
}
