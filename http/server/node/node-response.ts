import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Header } from '../../pipeline/message.ts';
import type { BodyListener, EngineResponse, ResponseHead } from '../engine.ts';
import { statusTitle } from '../status-line.ts';
import { IDLE_MS, type NodeConnection } from './node-connection.ts';
import { latin1 } from './node-request.ts';

const NO_BYTES = new Uint8Array(0);

/** The response of node:http to one request. */
export class NodeResponse implements EngineResponse {
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #connection: NodeConnection;
  #body: BodyListener | null = null;

  constructor(message: IncomingMessage, response: ServerResponse, connection: NodeConnection) {
    this.#message = message;
    this.#response = response;
    this.#connection = connection;
  }

  onAborted(aborted: () => void): void {
    this.#connection.began({
      aborted,
      broken: () => {
        const body = this.#body;
        this.#body = null;
        body?.broken();
      },
    });
  }

  readBody(listener: BodyListener): void {
    this.#body = listener;
    const { socket } = this.#connection;
    // A client that stops sending is disconnected.
    socket.setTimeout(IDLE_MS);
    this.#message.on('data', (piece: Buffer) => this.#body?.received(piece, false));
    this.#message.on('end', () => {
      const body = this.#body;
      this.#body = null;
      if (body === null) return;
      socket.setTimeout(0);
      body.received(NO_BYTES, true);
    });
  }

  onWritable(writable: () => void): void {
    this.#response.on('drain', () => {
      this.#connection.socket.setTimeout(0);
      writable();
    });
  }

  sendWhole(head: ResponseHead, body: string | Uint8Array): void {
    this.#writeHead(head, Buffer.byteLength(body));
    this.#response.end(body);
    this.#answered();
  }

  sendHead(head: ResponseHead, length: number | null): void {
    this.#writeHead(head, length);
    this.#response.end();
    this.#answered();
  }

  sendPiece(head: ResponseHead | null, piece: string): boolean {
    if (head !== null) this.#writeHead(head, null);
    const flowing = this.#response.write(piece);
    // A client that does not read is disconnected.
    if (!flowing) this.#connection.socket.setTimeout(IDLE_MS);
    return flowing;
  }

  endPieces(head: ResponseHead | null, close: boolean): void {
    if (head !== null) this.#writeHead(head, null);
    this.#response.end();
    if (close) this.#connection.end();
    this.#answered();
  }

  upgrade(): never {
    throw new Error('the request is not a WebSocket handshake');
  }

  close(): void {
    this.#connection.socket.destroy();
  }

  #writeHead({ status, headers, close }: ResponseHead, length: number | null): void {
    // Otherwise Node adds `Connection: keep-alive` and `Keep-Alive`, which HTTP/1.1 does not need.
    this.#response.removeHeader('Connection');
    const raw: string[] = [];
    const add = ([name, value]: Header): void => {
      raw.push(name, latin1(value));
    };
    headers.forEach(add);
    if (length !== null) add(['Content-Length', String(length)]);
    if (close === true || this.#connection.isEnded) {
      add(['Connection', 'close']);
      this.#connection.end();
    }
    this.#response.writeHead(status, statusTitle(status), raw);
  }

  #answered(): void {
    this.#body = null;
    this.#connection.answered();
  }
}
