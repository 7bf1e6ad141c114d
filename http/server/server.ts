import './header-limit.ts';
import * as engine from 'uWebSockets.js';
import './engine-declarations.ts';
import type { HttpResponse, RequestHandler } from '../pipeline/message.ts';
import type { SocketService } from '../ws/socket.ts';
import { Exchange } from './exchange.ts';
import { SilentConnections } from './silent-connections.ts';
import { serveWebSockets } from './web-sockets.ts';

/** Option of the engine that leaves the header `uWebSockets` out of responses. */
const WITHOUT_ENGINE_HEADER = '999999990007';

/** Time for clients of the event channel to answer a close. */
const SOCKETS_CLOSE_MS = 1000;

export interface ListenAddress {
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
}

export interface HttpServer {
  readonly port: number;
  /**
   * Accepts no new connections, ends streams and WebSocket connections, waits up to `budgetMs` milliseconds for other
   * requests and then closes every connection.
   */
  stop(budgetMs: number): Promise<void>;
}

/** Path and service of WebSocket connections. */
export interface SocketsAt {
  readonly path: string;
  readonly service: SocketService;
}

/** Responses of the server. */
export interface Answers {
  readonly handle: RequestHandler;
  /** Makes the response to a connection whose first request head does not arrive. */
  readonly refuseHead: () => HttpResponse;
}

/**
 * Serves HTTP/1.1 and WebSocket connections. One handler is registered for every path and method. It cannot throw,
 * because the engine would end the process (docs/dependency-hazards.md#d6-uwebsocketsjs-ends-the-process). `failed`
 * receives every error of a request's handler or stream; the connection is then closed. Rejects if the address is
 * taken.
 */
export async function serveHttp(
  address: ListenAddress,
  { handle, refuseHead }: Answers,
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

  const silent = new SilentConnections(refuseHead);
  const opened = (exchange: Exchange): void => {
    running.add(exchange);
    silent.requestArrived(exchange.remoteAddress);
  };

  engine._cfg(WITHOUT_ENGINE_HEADER);
  const app = engine.App();
  app.filter((response, change) => {
    try {
      if (change > 0) silent.opened(response);
    } catch (error) {
      failed(error);
    }
  });
  app.any('/*', (response, request) => {
    let exchange: Exchange | null = null;
    try {
      exchange = new Exchange(response, request, settled);
      opened(exchange);
      if (stopping) exchange.stopping();
      void answer(exchange, Promise.resolve(handle(exchange)));
    } catch (error) {
      failed(error);
      if (exchange === null) response.close();
      else exchange.abandon();
    }
    exchange?.arrived();
  });

  // Requests to this path that are not WebSocket handshakes go to the handler above.
  const webSockets = serveWebSockets(app, sockets.path, sockets.service, {
    opened,
    settled,
    refuse: (exchange, response) => void answer(exchange, Promise.resolve(response)),
    failed,
  });

  const socket = await new Promise<engine.us_listen_socket | false>((resolve) => {
    // Exclusive: otherwise the engine would share the port with another process of the same engine.
    app.listen(address.host, address.port, engine.LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
  });
  if (socket === false) {
    throw new Error(
      `cannot listen on ${address.host}:${address.port}: address in use or not assigned to this machine`,
    );
  }

  return {
    port: engine.us_socket_local_port(socket),
    async stop(budgetMs) {
      if (stopping) return;
      stopping = true;
      engine.us_listen_socket_close(socket);
      silent.stop();
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
