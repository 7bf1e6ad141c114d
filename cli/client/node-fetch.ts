import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Readable } from 'node:stream';
import type { HttpAnswer, HttpFetch, HttpRequest } from '../../client/http-fetch.ts';

/** Time without data after which a response has failed, as with the global fetch. */
const SILENT_MS_MAX = 300_000;

/**
 * Returns a fetch by `node:http`, for the command: the first request of the global one takes 0.14 s of processor time, and
 * one of `node:http` 0.015 s. A response without data for `silentMs` milliseconds has failed.
 */
export function createNodeFetch(silentMs = SILENT_MS_MAX): HttpFetch {
  return async (address, request) => {
    const { request: open } = await (address.protocol === 'https:'
      ? import('node:https')
      : import('node:http'));
    let begun: Begun;
    try {
      begun = await begin(open, address, request, silentMs);
    } catch (error) {
      request.signal?.throwIfAborted();
      throw new TypeError('fetch failed', { cause: error });
    }
    if (REDIRECTS.has(begun.status)) {
      // Rare, and what may be sent to the other address is subtle: the global fetch begins again.
      begun.message.destroy();
      return fetch(address, request);
    }
    return answerOf(begun, request.signal);
  };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Methods of requests that can be sent twice. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD']);

type Open = (address: URL, options: RequestOptions) => ClientRequest;

/** A response whose status and headers have come. */
interface Begun {
  readonly status: number;
  readonly message: IncomingMessage;
  /** Why the request was ended here; null if it was not. */
  readonly ended: () => Error | null;
}

function begin(open: Open, address: URL, request: HttpRequest, silentMs: number): Promise<Begun> {
  const { method, headers, body, signal } = request;
  return new Promise((resolve, reject) => {
    let silence: Error | null = null;
    const asked = open(address, {
      method,
      headers: { accept: '*/*', 'accept-encoding': 'gzip', 'user-agent': 'callsheet', ...headers },
      ...(signal !== undefined && { signal }),
    });
    asked.setTimeout(silentMs, () => {
      silence = Object.assign(new Error(`no data for ${silentMs / 1000} s`), {
        code: 'UND_ERR_BODY_TIMEOUT',
      });
      asked.destroy(silence);
    });
    asked.once('response', (message) => {
      resolve({ status: message.statusCode ?? 0, message, ended: () => silence });
    });
    asked.once('error', (error: NodeJS.ErrnoException) => {
      // The service may close a connection that waits for the next request at the moment in which it is used again.
      const isStale = asked.reusedSocket && error.code === 'ECONNRESET' && REPEATABLE.has(method);
      if (isStale) begin(open, address, request, silentMs).then(resolve, reject);
      else reject(error);
    });
    asked.end(body);
  });
}

async function contentOf(answer: IncomingMessage): Promise<Readable> {
  if (answer.headers['content-encoding'] !== 'gzip') return answer;
  const { createGunzip } = await import('node:zlib');
  const { pipeline } = await import('node:stream');
  const unpacked = createGunzip();
  // The error is that of `unpacked`, which its reader gets.
  pipeline(answer, unpacked, () => undefined);
  return unpacked;
}

async function* bytesOf(
  { message, ended }: Begun,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const bytes of await contentOf(message)) yield bytes as Uint8Array;
  } catch (error) {
    signal?.throwIfAborted();
    throw new TypeError('terminated', { cause: ended() ?? error });
  }
}

function answerOf(begun: Begun, signal: AbortSignal | undefined): HttpAnswer {
  const { status, message } = begun;
  const { headers } = message;
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: {
      get: (name) => {
        const value = headers[name.toLowerCase()];
        return value === undefined ? null : typeof value === 'string' ? value : value.join(', ');
      },
      getSetCookie: () => headers['set-cookie'] ?? [],
    },
    get body() {
      return ReadableStream.from(bytesOf(begun, signal));
    },
    text: async () => {
      const decoder = new TextDecoder();
      let text = '';
      for await (const bytes of bytesOf(begun, signal)) text += decoder.decode(bytes, { stream: true });
      return text + decoder.decode();
    },
  };
}
