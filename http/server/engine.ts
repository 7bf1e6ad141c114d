/**
 * The port of the HTTP engine. Two adapters implement it: `uws` (uWebSockets.js) and `node` (node:http with ws). What the service
 * answers does not depend on the adapter; docs/decisions/http-engines.md lists the differences.
 */

import type { Problem } from '../../src/core/problems.ts';
import type { Header, HttpResponse } from '../pipeline/message.ts';
import type { Socket } from '../ws/socket.ts';
import type { Visitor } from '../guards/principal.ts';

/** Limit for the head of a request: a submission has up to 1,000 upstream jobs in its query, which are 48 KB. */
export const HEAD_BYTES_MAX = 64 * 1024;

/** Limit for the headers of a request; the engine `uws` has it built in. */
export const HEADERS_MAX = 98;

/** Time for the head of a request. */
export const HEAD_MS = 5_000;

/** A longer message closes the connection; frames of the event channel are much smaller. */
export const MESSAGE_BYTES_MAX = 16 * 1024;

/** Maximum number of unsent bytes for a client that does not read; further events wait in the hub. */
export const SEND_QUEUE_BYTES_MAX = 256 * 1024;

/** Refusal of a connection on which no complete request head arrives. */
export const LATE_HEAD: Problem = {
  kind: 'bad-request',
  detail: 'no complete request head arrived in time; it is malformed or too slow',
};

export interface ListenAddress {
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
}

export type EngineName = 'uws' | 'node';

/** The head of a request, copied from the engine. */
export interface EngineRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: readonly Header[];
  readonly remoteAddress: string;
}

/** Status, headers and connection of a response. */
export type ResponseHead = Pick<HttpResponse, 'status' | 'headers' | 'close'>;

/** Callbacks for the body of a request. None throws. */
export interface BodyListener {
  /** `piece` is valid during the call only. */
  readonly received: (piece: Uint8Array, isLast: boolean) => void;
  /** The framing of the body is malformed; nothing more is received. */
  readonly broken: () => void;
}

/**
 * The engine's side of one request. `Exchange` is the only user: it calls nothing after the abort, nor after a method that ends the
 * response.
 */
export interface EngineResponse {
  /** Called first. `aborted` is called when the connection ends before the response. */
  onAborted(aborted: () => void): void;
  /** Called at most once, before the handler of the request returns. */
  readBody(listener: BodyListener): void;
  /** `writable` is called when the client has read what `sendPiece` has left waiting. */
  onWritable(writable: () => void): void;
  /** Sends a whole response and ends it. */
  sendWhole(head: ResponseHead, body: string | Uint8Array): void;
  /** Sends a response without a body and ends it. `length` is that of the body of a GET; null if it is not known. */
  sendHead(head: ResponseHead, length: number | null): void;
  /** Sends a piece of a body; `head` with the first one. Returns false if the client reads too slowly. */
  sendPiece(head: ResponseHead | null, piece: string): boolean;
  /** Ends a response that was sent in pieces; `head` if there were none. */
  endPieces(head: ResponseHead | null, close: boolean): void;
  /** Turns the connection into a WebSocket of a visitor. Only for handshakes. */
  upgrade(headers: readonly Header[], visitor: Visitor): void;
  /** Closes the connection. */
  close(): void;
}

/** A WebSocket connection of the engine. */
export interface EngineSocket extends Socket {
  /** Closes the connection at once. */
  abandon(): void;
}

/** Callbacks of one WebSocket connection. None throws. */
export interface EngineSocketListener {
  /** Receives a message; null if it is not text. */
  received(text: string | null): void;
  frameReceived(): void;
  drained(): void;
  /** Called once. */
  closed(): void;
}

/** Functions of the server that an engine calls. They never throw. */
export interface EngineHandlers {
  readonly requested: (request: EngineRequest, response: EngineResponse) => void;
  /** A request that may become a WebSocket: GET of the path for sockets. */
  readonly handshake: (request: EngineRequest, response: EngineResponse) => void;
  readonly opened: (socket: EngineSocket, visitor: Visitor) => EngineSocketListener;
  /** Makes the refusal of an invalid request head. `path` is `/` if it is not known. */
  readonly refuseHead: (problem: Problem, path: string) => HttpResponse;
  readonly failed: (error: unknown) => void;
}

export interface RunningEngine {
  readonly port: number;
  /** Accepts no new connections. */
  stopListening(): void;
  /** Closes every connection. */
  close(): void;
}

export interface HttpEngine {
  readonly name: EngineName;
  /** Listens at an address. Resolves with null if the address is not available. */
  listen(address: ListenAddress, socketPath: string, handlers: EngineHandlers): Promise<RunningEngine | null>;
}
