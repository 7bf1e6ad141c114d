import type { Visitor } from '../../guards/principal.ts';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Header } from '../../pipeline/message.ts';
import type { EngineResponse, ResponseHead } from '../engine.ts';
import type { NodeConnection } from './node-connection.ts';
import { latin1 } from './node-request.ts';

/** A request that Node has taken for an upgrade: it has given up the connection. */
export interface Upgrade {
  readonly message: IncomingMessage;
  readonly stream: Duplex;
  /** Bytes after the head. */
  readonly rest: Buffer;
}

/**
 * Gives a request back to the server, as one without `Upgrade`: it does not become a WebSocket, and HTTP allows to ignore the header.
 */
export function serveWithoutUpgrade(server: Server, { message, stream, rest }: Upgrade): void {
  const { method = '', url = '', httpVersion, rawHeaders } = message;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[at + 1] ?? ''}`);
  }
  stream.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), rest]));
  server.emit('connection', stream);
}

/** The response to a WebSocket handshake: an upgrade, or a refusal that node:http sends. */
export class NodeHandshake implements EngineResponse {
  readonly #connection: NodeConnection;
  readonly #accept: (headers: readonly string[], visitor: Visitor) => void;
  readonly #refuse: (send: (response: EngineResponse) => void) => void;

  /** `refuse` gives the request back to the server, and calls its argument with the response to it. */
  constructor(
    connection: NodeConnection,
    accept: (headers: readonly string[], visitor: Visitor) => void,
    refuse: (send: (response: EngineResponse) => void) => void,
  ) {
    this.#connection = connection;
    this.#accept = accept;
    this.#refuse = refuse;
  }

  onAborted(aborted: () => void): void {
    this.#connection.began({ aborted, broken: () => undefined });
  }

  sendWhole(head: ResponseHead, body: string | Uint8Array): void {
    this.#refuse((response) => response.sendWhole(head, body));
  }

  sendHead(head: ResponseHead, length: number | null): void {
    this.#refuse((response) => response.sendHead(head, length));
  }

  upgrade(headers: readonly Header[], visitor: Visitor): void {
    this.#accept(
      headers.map(([name, value]) => `${name}: ${latin1(value)}`),
      visitor,
    );
  }

  close(): void {
    this.#connection.socket.destroy();
  }

  readBody(): never {
    throw new Error('a handshake has no body');
  }

  onWritable(): never {
    throw new Error('a handshake has no streamed response');
  }

  sendPiece(): never {
    throw new Error('a handshake has no streamed response');
  }

  endPieces(): never {
    throw new Error('a handshake has no streamed response');
  }
}
