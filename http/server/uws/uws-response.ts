import type { Visitor } from '../../guards/principal.ts';
import type {
  HttpRequest as UwsRequest,
  HttpResponse as UwsResponse,
  us_socket_context_t,
} from 'uWebSockets.js';
import type { Header } from '../../pipeline/message.ts';
import type { BodyListener, EngineRequest, EngineResponse, ResponseHead } from '../engine.ts';
import { statusLine } from '../status-line.ts';
import type { Kept } from './uws-socket.ts';
import { writeHead } from './write-head.ts';

/** Parts of a handshake that an upgrade needs. */
export interface Handshake {
  /** Key of the client. */
  readonly key: string;
  readonly context: us_socket_context_t;
}

/** Copies the head of a request, because the engine's object is valid only while its handler runs. */
export function requestOf(request: UwsRequest, response: UwsResponse): EngineRequest {
  const headers: Header[] = [];
  request.forEach((name, value) => {
    headers.push([name, value]);
  });
  return {
    method: request.getCaseSensitiveMethod(),
    path: request.getUrl(),
    query: request.getQuery() ?? '',
    headers,
    remoteAddress: addressOf(response),
  };
}

/** Returns the address of the peer. */
export const addressOf = (response: UwsResponse): string =>
  Buffer.from(response.getRemoteAddressAsText()).toString('latin1');

/**
 * The engine's response. Its methods end the process if they are called after an abort or after the end; `Exchange` does not do that.
 */
export class UwsResponseAdapter implements EngineResponse {
  readonly #response: UwsResponse;
  readonly #handshake: Handshake | null;

  constructor(response: UwsResponse, handshake: Handshake | null) {
    this.#response = response;
    this.#handshake = handshake;
  }

  onAborted(aborted: () => void): void {
    this.#response.onAborted(aborted);
  }

  readBody({ received }: BodyListener): void {
    // The engine frees the memory of the chunk when this callback returns.
    this.#response.onData((chunk, isLast) => received(new Uint8Array(chunk), isLast));
  }

  onWritable(writable: () => void): void {
    this.#response.onWritable(() => {
      writable();
      return true;
    });
  }

  sendWhole(head: ResponseHead, body: string | Uint8Array): void {
    this.#corked(() => {
      writeHead(this.#response, head);
      this.#response.end(body, head.close === true);
    });
  }

  sendHead(head: ResponseHead, length: number | null): void {
    this.#corked(() => {
      writeHead(this.#response, head);
      // Set as headers, because the engine would wait for that many bytes if it knew the length.
      if (length !== null) this.#response.writeHeader('Content-Length', String(length));
      if (head.close === true) this.#response.writeHeader('Connection', 'close');
      this.#response.endWithoutBody();
    });
  }

  sendPiece(head: ResponseHead | null, piece: string): boolean {
    let flowing = true;
    this.#corked(() => {
      if (head !== null) writeHead(this.#response, head);
      flowing = this.#response.write(piece);
    });
    return flowing;
  }

  endPieces(head: ResponseHead | null, close: boolean): void {
    this.#corked(() => {
      if (head !== null) writeHead(this.#response, head);
      this.#response.end(undefined, close);
    });
  }

  upgrade(headers: readonly Header[], visitor: Visitor): void {
    const handshake = this.#handshake;
    if (handshake === null) throw new Error('the request is not a WebSocket handshake');
    const kept: Kept = { visitor, connection: null, isClosed: false };
    this.#corked(() => {
      this.#response.writeStatus(statusLine(101));
      for (const [name, value] of headers) this.#response.writeHeader(name, value);
    });
    // Not in the cork: after an upgrade that its handler has left to a later turn, the engine takes the WebSocket for the HTTP
    // connection if its memory has not moved, and may close it (docs/dependency-hazards.md#d6-uwebsocketsjs-ends-the-process).
    // No subprotocol and no extension.
    this.#response.upgrade(kept, handshake.key, '', '', handshake.context);
  }

  close(): void {
    this.#response.close();
  }

  #corked(write: () => void): void {
    this.#response.cork(write);
  }
}
