import type { Visitor } from '../../guards/principal.ts';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as Listener, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Problem } from '../../../src/core/problems.ts';
import {
  HEAD_BYTES_MAX,
  HEAD_MS,
  HEADERS_MAX,
  MESSAGE_BYTES_MAX,
  type EngineHandlers,
  type EngineResponse,
  type HttpEngine,
  type ListenAddress,
} from '../engine.ts';
import { statusLine } from '../status-line.ts';
import { IDLE_MS, NodeConnection } from './node-connection.ts';
import { NodeHandshake, serveWithoutUpgrade, type Upgrade } from './node-handshake.ts';
import { headFault, latin1, parserFault, pathOf, requestOf } from './node-request.ts';
import { NodeResponse } from './node-response.ts';
import { NodeSocket } from './node-socket.ts';

/** Time between two searches for late heads. */
const HEADS_CHECK_MS = 1_000;

/** The adapter of node:http and ws. */
export const nodeEngine: HttpEngine = {
  name: 'node',
  listen: async (address, socketPath, handlers) => {
    const front = new NodeFront(socketPath, handlers);
    const port = await listenAt(front.server, address);
    if (port === null) return null;
    return {
      port,
      stopListening: () => {
        // Not the method of node:http, which also closes connections that are idle: probes still get an answer on them.
        Listener.prototype.close.call(front.server);
      },
      close: () => front.close(),
    };
  },
};

/** Resolves with the port; null if the address is not available. */
function listenAt(server: Server, { host, port }: ListenAddress): Promise<number | null> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(null));
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : null);
    });
  });
}

class NodeFront {
  readonly server: Server;
  readonly #socketPath: string;
  readonly #handlers: EngineHandlers;
  readonly #connections = new Map<Duplex, NodeConnection>();
  /** Refusals of handshakes whose requests were given back to the server. */
  readonly #refusals = new WeakMap<Duplex, (response: EngineResponse) => void>();
  /** Headers of the upgrade in progress. */
  #upgradeHeaders: readonly string[] = [];
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
    clientTracking: false,
    autoPong: false,
    // No subprotocol.
    handleProtocols: () => false,
  });

  constructor(socketPath: string, handlers: EngineHandlers) {
    this.#socketPath = socketPath;
    this.#handlers = handlers;
    this.#webSockets.on('headers', (lines) => {
      lines.push(...this.#upgradeHeaders);
    });
    this.server = createServer({
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: HEAD_MS,
      requestTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: HEADS_CHECK_MS,
      insecureHTTPParser: false,
      // The service checks it itself.
      requireHostHeader: false,
    });
    // More than the limit, so that a request above it can be refused.
    this.server.maxHeadersCount = 2 * HEADERS_MAX;
    const requested = (message: IncomingMessage, response: ServerResponse): void => {
      this.#guarded(message.socket, () => this.#requested(message, response));
    };
    this.server
      .on('connection', (socket) => this.#guarded(socket, () => this.#connectionOf(socket)))
      .on('request', requested)
      .on('checkContinue', (message, response) => {
        response.writeContinue();
        requested(message, response);
      })
      .on('checkExpectation', requested)
      .on('upgrade', (message, stream, rest) => {
        this.#guarded(stream, () => this.#upgrade({ message, stream, rest }));
      })
      .on('connect', (_, stream) => {
        const detail = 'CONNECT is not supported';
        this.#guarded(stream, () => this.#refuseHead(stream, { kind: 'version-not-supported', detail }, '/'));
      })
      .on('clientError', (error: NodeJS.ErrnoException, stream) => {
        this.#guarded(stream, () => this.#malformed(error, stream));
      });
  }

  close(): void {
    this.server.close();
    for (const socket of [...this.#connections.keys()]) socket.destroy();
  }

  #connectionOf(stream: Duplex): NodeConnection {
    const known = this.#connections.get(stream);
    if (known !== undefined) return known;
    if (!(stream instanceof Socket)) throw new Error('the connection is not a socket');
    const connection = new NodeConnection(stream);
    this.#connections.set(stream, connection);
    stream.on('close', () => this.#connections.delete(stream));
    return connection;
  }

  #requested(message: IncomingMessage, serverResponse: ServerResponse): void {
    const connection = this.#connectionOf(message.socket);
    const response = new NodeResponse(message, serverResponse, connection);
    const refusal = this.#refusals.get(message.socket);
    if (refusal !== undefined) {
      this.#refusals.delete(message.socket);
      connection.enqueue(() => refusal(response));
      return;
    }
    const fault = headFault(message);
    connection.enqueue(() => {
      if (fault === null) this.#handlers.requested(requestOf(message), response);
      else this.#sendRefusal(response, fault, message.method ?? '');
    });
  }

  #sendRefusal(response: NodeResponse, fault: Problem, method: string): void {
    const { body, ...head } = this.#handlers.refuseHead(fault, '/');
    if (typeof body !== 'string' || method === 'HEAD') response.sendHead(head, null);
    else response.sendWhole(head, body);
  }

  #upgrade(upgrade: Upgrade): void {
    const { message, stream } = upgrade;
    const connection = this.#connectionOf(stream);
    if (connection.isBusy) {
      // Node has given up the connection, so that earlier requests can no longer be answered in order.
      stream.destroy();
      return;
    }
    const request = requestOf(message);
    if (message.method !== 'GET' || request.path !== this.#socketPath || headFault(message) !== null) {
      serveWithoutUpgrade(this.server, upgrade);
      return;
    }
    connection.enqueue(() => {
      const accept = (headers: readonly string[], visitor: Visitor): void =>
        this.#accept(connection, upgrade, headers, visitor);
      const handshake = new NodeHandshake(connection, accept, (send) => {
        this.#refusals.set(stream, send);
        connection.answered();
        serveWithoutUpgrade(this.server, upgrade);
      });
      this.#handlers.handshake(request, handshake);
    });
  }

  #accept(
    connection: NodeConnection,
    { message, stream, rest }: Upgrade,
    headers: readonly string[],
    visitor: Visitor,
  ): void {
    connection.end();
    this.#upgradeHeaders = headers;
    this.#webSockets.handleUpgrade(message, stream, rest, (webSocket) => {
      const socket = new NodeSocket(webSocket, stream);
      webSocket.on('close', () => socket.released());
      // A frame that breaks the protocol; ws closes the connection.
      webSocket.on('error', () => socket.released());
      socket.listen(this.#handlers.opened(socket, visitor));
    });
  }

  /** Handles bytes that are not a valid request. */
  #malformed(error: NodeJS.ErrnoException, stream: Duplex): void {
    const connection = this.#connections.get(stream);
    if (connection === undefined || !stream.writable || error.code === 'ECONNRESET') {
      stream.destroy();
      return;
    }
    // Bytes after the last request of a connection are ignored.
    if (connection.isEnded) return;
    const isFree = !connection.isBusy;
    connection.end();
    // Otherwise the response to the current request is the last one.
    if (isFree) this.#refuseHead(stream, parserFault(error), pathOf(error));
    else connection.broken();
  }

  #refuseHead(stream: Duplex, problem: Problem, path: string): void {
    const { status, headers, body } = this.#handlers.refuseHead(problem, path);
    const text = typeof body === 'string' ? body : '';
    const lines = [
      `HTTP/1.1 ${statusLine(status)}`,
      ...headers.map(([name, value]) => `${name}: ${latin1(value)}`),
      `Date: ${new Date().toUTCString()}`,
      'Connection: close',
      `Content-Length: ${Buffer.byteLength(text)}`,
    ];
    this.#connectionOf(stream).endWith(`${lines.join('\r\n')}\r\n\r\n${latin1(text)}`);
  }

  #guarded(stream: Duplex, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#handlers.failed(error);
      stream.destroy();
    }
  }
}
