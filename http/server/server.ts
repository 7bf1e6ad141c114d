import type { Problem } from '../../src/core/problems.ts';
import type { HttpResponse, RequestHandler } from '../pipeline/message.ts';
import type { SocketService } from '../ws/socket.ts';
import type { EngineRequest, EngineResponse, HttpEngine, ListenAddress } from './engine.ts';
import { EventSockets } from './event-sockets.ts';
import { Exchange } from './exchange.ts';

/** Time for clients of the event channel to answer a close. */
const SOCKETS_CLOSE_MS = 1000;

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
  /** Makes the refusal of an invalid request head. `path` is `/` if it is not known. */
  readonly refuseHead: (problem: Problem, path: string) => HttpResponse;
}

/**
 * Serves HTTP/1.1 and WebSocket connections with an engine. No function that the engine gets can throw, because
 * uWebSockets.js would end the process (docs/dependency-hazards.md#d6-uwebsocketsjs-ends-the-process). `failed`
 * receives every error of a request's handler or stream; the connection is then closed. Rejects if the address is
 * taken.
 */
export async function serveHttp(
  engine: HttpEngine,
  address: ListenAddress,
  { handle, refuseHead }: Answers,
  { path, service }: SocketsAt,
  failed: (error: unknown) => void,
): Promise<HttpServer> {
  const running = new Set<Exchange>();
  const sockets = new EventSockets(service, failed);
  let stopping = false;
  let idle: (() => void) | null = null;

  const settled = (exchange: Exchange): void => {
    running.delete(exchange);
    if (running.size === 0) idle?.();
  };
  const answer = async (exchange: Exchange, answering: ReturnType<RequestHandler>): Promise<void> => {
    try {
      const response = await answering;
      if (response.visitor !== undefined) exchange.upgrade(response.headers, response.visitor);
      else await exchange.send(stopping ? { ...response, close: true } : response);
    } catch (error) {
      failed(error);
      exchange.abandon();
    }
  };
  const respondWith =
    (handler: RequestHandler) =>
    (request: EngineRequest, response: EngineResponse): void => {
      let exchange: Exchange | null = null;
      try {
        exchange = new Exchange(request, response, settled);
        running.add(exchange);
        if (stopping) exchange.stopping();
        void answer(exchange, handler(exchange));
      } catch (error) {
        failed(error);
        if (exchange === null) response.close();
        else exchange.abandon();
      }
      exchange?.arrived();
    };

  const listening = await engine.listen(address, path, {
    requested: respondWith(handle),
    handshake: respondWith((request) => service.admit(request)),
    opened: (socket, visitor) => sockets.opened(socket, visitor),
    refuseHead,
    failed,
  });
  if (listening === null) {
    throw new Error(
      `cannot listen on ${address.host}:${address.port}: address in use or not assigned to this machine`,
    );
  }

  return {
    port: listening.port,
    async stop(budgetMs) {
      if (stopping) return;
      stopping = true;
      listening.stopListening();
      for (const exchange of running) exchange.stopping();
      await sockets.stop(Math.min(budgetMs, SOCKETS_CLOSE_MS));
      if (running.size > 0) await untilIdleOr(budgetMs);
      listening.close();
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
