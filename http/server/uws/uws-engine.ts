import type {
  HttpRequest as UwsRequest,
  HttpResponse as UwsResponse,
  TemplatedApp,
  us_listen_socket,
  WebSocket,
} from 'uWebSockets.js';
import {
  LATE_HEAD,
  MESSAGE_BYTES_MAX,
  SEND_QUEUE_BYTES_MAX,
  type EngineHandlers,
  type EngineSocketListener,
  type HttpEngine,
} from '../engine.ts';
import type { UwsModule } from './binary.ts';
import { SilentConnections } from './silent-connections.ts';
import { requestOf, UwsResponseAdapter, type Handshake } from './uws-response.ts';
import { UwsSocket, type Kept } from './uws-socket.ts';

/** Option of the engine that leaves the header `uWebSockets` out of responses. */
const WITHOUT_ENGINE_HEADER = '999999990007';

/** A closed connection whose peer does not answer is dropped after this time, in seconds. */
const UNANSWERED_END_S = 600;

/**
 * The adapter of uWebSockets.js. Its callbacks must not throw, because that ends the process
 * (docs/dependency-hazards.md#d6-uwebsocketsjs-ends-the-process).
 */
export function uwsEngine(uws: UwsModule): HttpEngine {
  return {
    name: 'uws',
    listen: async ({ host, port }, socketPath, handlers) => {
      uws._cfg(WITHOUT_ENGINE_HEADER);
      const app = uws.App();
      const silent = new SilentConnections(() => handlers.refuseHead(LATE_HEAD, '/'));
      const watch = new SilentWatch(silent, handlers);
      app.filter((response, change) => {
        if (change > 0) watch.opened(response);
      });
      app.any('/*', (response, request) => watch.requested(response, request, null, handlers.requested));
      // Requests to this path that are not WebSocket handshakes go to the handler above.
      serveWebSockets(app, socketPath, watch, handlers);

      const socket = await new Promise<us_listen_socket | false>((resolve) => {
        // Exclusive: otherwise the engine would share the port with another process of the same engine.
        app.listen(host, port, uws.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
      });
      if (socket === false) return null;
      return {
        port: uws.us_socket_local_port(socket),
        stopListening: () => {
          uws.us_listen_socket_close(socket);
          silent.stop();
        },
        close: () => {
          app.close();
        },
      };
    },
  };
}

/** Passes requests on, and notes on which addresses some arrive. */
class SilentWatch {
  readonly #silent: SilentConnections;
  readonly #handlers: EngineHandlers;

  constructor(silent: SilentConnections, handlers: EngineHandlers) {
    this.#silent = silent;
    this.#handlers = handlers;
  }

  opened(response: UwsResponse): void {
    try {
      this.#silent.opened(response);
    } catch (error) {
      this.#handlers.failed(error);
    }
  }

  requested(
    response: UwsResponse,
    request: UwsRequest,
    handshake: Handshake | null,
    handle: EngineHandlers['requested'],
  ): void {
    try {
      const head = requestOf(request, response);
      this.#silent.requestArrived(head.remoteAddress);
      handle(head, new UwsResponseAdapter(response, handshake));
    } catch (error) {
      this.#handlers.failed(error);
      response.close();
    }
  }
}

/** Registers the handlers of WebSocket connections at a path. */
function serveWebSockets(
  app: TemplatedApp,
  path: string,
  watch: SilentWatch,
  handlers: EngineHandlers,
): void {
  const listenerOf = (socket: WebSocket<Kept>): EngineSocketListener | undefined =>
    socket.getUserData().connection?.listener;
  app.ws<Kept>(path, {
    maxPayloadLength: MESSAGE_BYTES_MAX,
    maxBackpressure: SEND_QUEUE_BYTES_MAX,
    // Pings and idle connections have their own timeouts (docs/contract/events.md#connection-timing). This one is for
    // peers that do not answer a close.
    idleTimeout: UNANSWERED_END_S,
    sendPingsAutomatically: false,
    upgrade: (response, request, context) => {
      const key = request.getHeader('sec-websocket-key');
      watch.requested(response, request, { key, context }, handlers.handshake);
    },
    open: (engineSocket) => {
      const kept = engineSocket.getUserData();
      const socket = new UwsSocket(engineSocket);
      kept.connection = { socket, listener: handlers.opened(socket, kept.visitor) };
      // It may have been closed while it was opened.
      if (kept.isClosed) released(kept);
    },
    message: (socket, message, isBinary) => {
      listenerOf(socket)?.received(isBinary ? null : Buffer.from(message).toString('utf8'));
    },
    ping: (socket) => listenerOf(socket)?.frameReceived(),
    pong: (socket) => listenerOf(socket)?.frameReceived(),
    drain: (socket) => listenerOf(socket)?.drained(),
    close: (engineSocket) => {
      const kept = engineSocket.getUserData();
      kept.isClosed = true;
      released(kept);
    },
  });
}

function released({ connection }: Kept): void {
  connection?.socket.released();
  connection?.listener.closed();
}
