import type { Pipeline } from '../pipeline/pipeline.ts';
import { headerValues, type Header, type HttpRequest, type HttpResponse } from '../pipeline/message.ts';

/** One request in the access log (docs/operations.md#the-access-log). */
export interface AccessRecord {
  /** When the request head was complete, RFC 3339 in UTC with milliseconds. */
  readonly time: string;
  readonly request_id: string;
  /** Address of the client, behind trusted proxies that of X-Forwarded-For; empty if it is not known. */
  readonly client: string;
  /** Empty without a valid credential. */
  readonly user: string;
  /** Empty for a request head that is refused before it is parsed. */
  readonly method: string;
  /** Percent-encoded, without the query, which can contain secrets of a sign-in. */
  readonly path: string;
  readonly status: number;
  /** Size of the response body after compression, without the head. */
  readonly bytes: number;
  /** Milliseconds from the head of the request to the complete response, or to the end of a stream. */
  readonly duration_ms: number;
  readonly user_agent: string;
}

/** Receives one record for each request. */
export type AccessLog = (record: AccessRecord) => void;

export interface AccessLogParts {
  readonly write: AccessLog;
  /** Returns the address of the client. */
  readonly address: (request: HttpRequest) => string;
  /** Returns the name of the sender; empty without a valid credential. */
  readonly userOf: (request: HttpRequest) => string;
  readonly now: () => number;
  readonly steadyNow: () => number;
}

/** Longest text of a request in the log, in characters. */
const TEXT_LENGTH_MAX = 2_000;

/** Fields of a request whose head is refused before it is parsed. */
const UNREADABLE_HEAD = { client: '', user: '', method: '', duration_ms: 0, user_agent: '' } as const;

const requestIdIn = (headers: readonly Header[]): string => headerValues(headers, 'X-Request-ID')[0] ?? '';

/** Returns a pipeline that writes a record for each response of another one. Errors of that pipeline are passed on, with status 500. */
export function withAccessLog(pipeline: Pipeline, parts: AccessLogParts): Pipeline {
  const { write, address, userOf, now, steadyNow } = parts;

  const logged = (
    request: HttpRequest,
    handle: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>,
  ): HttpResponse | Promise<HttpResponse> => {
    const startedAt = steadyNow();
    const time = new Date(now()).toISOString();
    // Before the request: it may end the session that it was sent with.
    const user = userOf(request);
    const record = (status: number, headers: readonly Header[], bytes: number): void => {
      write({
        time,
        request_id: requestIdIn(headers),
        client: address(request),
        user,
        method: request.method.slice(0, TEXT_LENGTH_MAX),
        path: request.path.slice(0, TEXT_LENGTH_MAX),
        status,
        bytes,
        duration_ms: Math.round((steadyNow() - startedAt) * 1000) / 1000,
        user_agent: (headerValues(request.headers, 'user-agent')[0] ?? '').slice(0, TEXT_LENGTH_MAX),
      });
    };
    const done = (response: HttpResponse): HttpResponse => {
      const { status, headers, body } = response;
      if (body === null || request.method === 'HEAD') record(status, headers, 0);
      else if (typeof body === 'string' || body instanceof Uint8Array)
        record(status, headers, Buffer.byteLength(body));
      else return { ...response, body: measured(body, (bytes) => record(status, headers, bytes)) };
      return response;
    };
    const failed = (error: unknown): never => {
      record(500, [], 0);
      throw error;
    };
    const made = handle(request);
    return made instanceof Promise ? made.then(done, failed) : done(made);
  };

  return {
    handle: (request) => logged(request, pipeline.handle),
    admit: (request) => logged(request, pipeline.admit),
    // The node that has received the request writes the record.
    forwarded: pipeline.forwarded,
    refuseHead: (problem, path) => {
      const response = pipeline.refuseHead(problem, path);
      write({
        ...UNREADABLE_HEAD,
        time: new Date(now()).toISOString(),
        request_id: requestIdIn(response.headers),
        path: path.slice(0, TEXT_LENGTH_MAX),
        status: response.status,
        bytes: typeof response.body === 'string' ? Buffer.byteLength(response.body) : 0,
      });
      return response;
    },
  };
}

/** Passes pieces on. Calls `ended` once with their bytes, when the stream ends, fails or is given up. */
function measured(pieces: AsyncIterable<string>, ended: (bytes: number) => void): AsyncIterable<string> {
  return {
    async *[Symbol.asyncIterator]() {
      let bytes = 0;
      try {
        for await (const piece of pieces) {
          bytes += Buffer.byteLength(piece);
          yield piece;
        }
      } finally {
        ended(bytes);
      }
    },
  };
}
