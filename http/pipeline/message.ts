/** What the server hands in and gets back: HTTP without an engine. */

export type Header = readonly [name: string, value: string];

export type BodyRead =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly reason: 'too-large' | 'aborted' };

export interface HttpRequest {
  /** As sent, in upper case when it is a known method. */
  readonly method: string;
  /** With its escapes. */
  readonly path: string;
  /** What follows the first question mark, with its escapes. */
  readonly query: string;
  /** In the order of arrival; names in lower case. */
  readonly headers: readonly Header[];
  /** The address of the peer as a text; empty when the engine does not know it. */
  readonly remoteAddress: string;
  /** Reads the whole body. To be called at most once, and before the handler of the request has returned. */
  readBody(limitBytes: number): Promise<BodyRead>;
  /** Aborts when the client is gone or the server stops: an endless answer ends then. */
  ended(): AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: readonly Header[];
  /** A text, bytes of a text or of its content coding, an endless answer piece by piece, or nothing. */
  readonly body: string | Uint8Array | AsyncIterable<string> | null;
  /** Whether the connection is closed after the answer. */
  readonly close?: boolean;
}

export type RequestHandler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

/** All values of one header, in the order of arrival. */
export function headerValues(headers: readonly Header[], name: string): string[] {
  const values: string[] = [];
  for (const header of headers) if (header[0] === name) values.push(header[1]);
  return values;
}
