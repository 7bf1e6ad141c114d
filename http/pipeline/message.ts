/** HTTP requests and responses, independent of the engine. */

import type { AuditNote } from '../audit/audit.ts';
import type { Visitor } from '../guards/principal.ts';

export type Header = readonly [name: string, value: string];

export type BodyRead =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly reason: 'too-large' | 'no-memory' | 'malformed' | 'aborted' };

export interface HttpRequest {
  /** As sent; upper case for known methods. */
  readonly method: string;
  /** Percent-encoded. */
  readonly path: string;
  /** Text after the first question mark, percent-encoded. */
  readonly query: string;
  /** In order of arrival; names in lower case. */
  readonly headers: readonly Header[];
  /** Address of the peer; empty if the engine does not know it. */
  readonly remoteAddress: string;
  /**
   * Reads the whole body. Must be called at most once, before the handler of the request returns. `grow` is asked before
   * the body takes more memory, in bytes; if it returns false, the body is dropped (`no-memory`). It gets a negative
   * number when memory is given back.
   */
  readBody(maxBytes: number, grow: (bytes: number) => boolean): Promise<BodyRead>;
  /** Aborts when the client disconnects or the server stops; streams end then. */
  ended(): AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: readonly Header[];
  /** Text, bytes (possibly content-coded), a stream of pieces, or nothing. */
  readonly body: string | Uint8Array | AsyncIterable<string> | null;
  /** True if the connection is closed after the response. */
  readonly close?: boolean;
  /** Set if the request becomes a WebSocket connection (101). */
  readonly visitor?: Visitor;
  /** True if the response must be made again for the next request, even without a commit. */
  readonly isTransient?: boolean;
  /** True if the owner of the cluster has made the response, with all headers and its audit entry. */
  readonly isForwarded?: boolean;
  /** Text of a problem, for the audit log. */
  readonly problemDetail?: string;
  /** Set if a handler has made the response, and the request may belong in the audit log. */
  readonly audit?: AuditNote;
}

export type RequestHandler = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

/** Returns all values of one header in order of arrival. */
export function headerValues(headers: readonly Header[], name: string): string[] {
  const values: string[] = [];
  for (const header of headers) if (header[0] === name) values.push(header[1]);
  return values;
}
