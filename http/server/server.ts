import './header-limit.ts';
import * as engine from 'uWebSockets.js';
import './engine-declarations.ts';
import type { HttpResponse, RequestHandler } from '../pipeline/message.ts';
import type { SocketService } from '../ws/socket.ts';
import { Exchange } from './exchange.ts';
import { serveWebSockets } from './web-sockets.ts';

/** How long clients of the event channel have to take their leave. */
const SOCKETS_CLOSE_MS = 1000;

export interface ListenAddress {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

export interface HttpServer {
  readonly port: number;
  /**
   * Takes no new connection, ends endless answers and WebSocket connections, lets other running requests end for at most
   * `budgetMs` milliseconds and then closes every connection.
   */
  stop(budgetMs: number): Promise<void>;
}

/** Who serves the WebSocket connections that are opened at a path. */
export interface SocketsAt {
  readonly path: string;
  readonly service: SocketService;
}

/**
 * Serves HTTP/1.1 and WebSocket connections. One handler is registered with the engine for every path and method; it cannot throw, because the
 * engine ends the process when it does (docs/dependency-hazards.md#d6-uwebsocketsjs-ends-the-process). `failed` is told
 * of every error that a request's handler or its endless answer ends with; the connection is then closed. Rejects when
 * the address is taken.
 */
export async function serveHttp(
  address: ListenAddress,
  handle: RequestHandler,
  sockets: SocketsAt,
  failed: (error: unknown) => void,
): Promise<HttpServer> {
  const running = new Set<Exchange>();
  let stopping = false;
  let idle: (() => void) | null = null;

  const settled = (exchange: Exchange): void => {
    running.delete(exchange);
    if (running.size === 0) idle?.();
  };
  const answer = async (exchange: Exchange, response: Promise<HttpResponse>): Promise<void> => {
    try {
      await send(exchange, await response);
    } catch (error) {
      failed(error);
      exchange.abandon();
    }
  };
  const send = (exchange: Exchange, response: HttpResponse): Promise<void> =>
    exchange.send(stopping ? { ...response, close: true } : response);

  const app = engine.App();
  app.any('/*', (response, request) => {
    let exchange: Exchange | null = null;
    try {
      exchange = new Exchange(response, request, settled);
      running.add(exchange);
      if (stopping) exchange.stopping();
      void answer(exchange, Promise.resolve(handle(exchange)));
    } catch (error) {
      failed(error);
      if (exchange === null) response.close();
      else exchange.abandon();
    }
    exchange?.arrived();
  });

  // A request to this path that does not ask for a WebSocket connection goes to the handler above.
  const webSockets = serveWebSockets(app, sockets.path, sockets.service, {
    opened: (exchange) => running.add(exchange),
    settled,
    refuse: (exchange, response) => void answer(exchange, Promise.resolve(response)),
    failed,
  });

  const socket = await new Promise<engine.us_listen_socket | false>((resolve) => {
    // Exclusive: the engine would otherwise share the port with another process of its kind.
    app.listen(address.host, address.port, engine.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
  });
  if (socket === false) {
    throw new Error(
      `cannot listen on ${address.host}:${address.port}: the address is taken or not one of this machine`,
    );
  }

  return {
    port: engine.us_socket_local_port(socket),
    async stop(budgetMs) {
      if (stopping) return;
      stopping = true;
      engine.us_listen_socket_close(socket);
      for (const exchange of running) exchange.stopping();
      await webSockets.stop(Math.min(budgetMs, SOCKETS_CLOSE_MS));
      if (running.size > 0) await untilIdleOr(budgetMs);
      app.close();
    },
  };

  function untilIdleOr(budgetMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, budgetMs);
      idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
