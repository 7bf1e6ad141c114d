import type { TemplatedApp, WebSocket } from 'uWebSockets.js';
import type { SendOutcome, Socket, SocketListener, SocketService } from '../ws/socket.ts';
import { Exchange } from './exchange.ts';

/** A longer message closes the connection; frames of the event channel are much smaller. */
const MESSAGE_BYTES_MAX = 16 * 1024;

/** Maximum number of unsent bytes for a client that does not read; further events wait in the hub. */
const SEND_QUEUE_BYTES_MAX = 256 * 1024;

/** A closed connection whose peer does not answer is dropped after this time, in seconds. */
const UNANSWERED_END_S = 600;

/** Data that the engine stores with a connection. */
interface Kept {
  readonly client: string;
  connection: Connection | null;
}

/** Results of the engine's `send`, by number. */
const OUTCOMES: readonly SendOutcome[] = ['queued', 'sent', 'refused'];

/**
 * The only holder of an engine's WebSocket, which throws if it is used after its end: `#socket` is null from then on.
 * A handler of the engine must not throw, because that ends the process
 * (docs/dependency-hazards.md#d6-uwebsocketsjs-ends-the-process). Errors close the connection instead.
 */
class Connection implements Socket {
  #socket: WebSocket<Kept> | null;
  listener: SocketListener | null = null;

  constructor(socket: WebSocket<Kept>) {
    this.#socket = socket;
  }

  get isClear(): boolean {
    return this.#socket === null || this.#socket.getBufferedAmount() === 0;
  }

  send(text: string): SendOutcome {
    return this.#socket === null ? 'refused' : (OUTCOMES[this.#socket.send(text)] ?? 'refused');
  }

  together(write: () => void): void {
    this.#socket?.cork(write);
  }

  ping(): void {
    this.#socket?.ping();
  }

  close(code: number, reason: string): void {
    // `end` calls the engine's close handler synchronously.
    if (this.isClear) this.#socket?.end(code, reason);
    else this.abandon();
  }

  /** Called after the engine has released the connection. */
  ended(): void {
    this.#socket = null;
    this.listener?.closed();
    this.listener = null;
  }

  /** Closes the connection at once. */
  abandon(): void {
    this.#socket?.close();
  }
}

export interface WebSocketServer {
  /** Closes all connections. Resolves when they are closed, or after `budgetMs` milliseconds. */
  stop(budgetMs: number): Promise<void>;
}

/** Functions of the server that also apply to WebSocket handshakes. */
interface Answering {
  /** Sends a response, whatever happens to the connection. */
  readonly refuse: (exchange: Exchange, response: Parameters<Exchange['send']>[0]) => void;
  readonly opened: (exchange: Exchange) => void;
  readonly settled: (exchange: Exchange) => void;
  readonly failed: (error: unknown) => void;
}

/** Registers the handlers of WebSocket connections at a path. */
export function serveWebSockets(
  app: TemplatedApp,
  path: string,
  service: SocketService,
  { refuse, opened, settled, failed }: Answering,
): WebSocketServer {
  const connections = new Set<Connection>();
  let allClosed: (() => void) | null = null;

  const guarded = (connection: Connection | null, act: () => void): void => {
    try {
      act();
    } catch (error) {
      failed(error);
      connection?.abandon();
    }
  };

  app.ws<Kept>(path, {
    maxPayloadLength: MESSAGE_BYTES_MAX,
    maxBackpressure: SEND_QUEUE_BYTES_MAX,
    // Pings and idle connections have their own timeouts (docs/contract/events.md#connection-timing). This one is for
    // peers that do not answer a close.
    idleTimeout: UNANSWERED_END_S,
    sendPingsAutomatically: false,
    upgrade: (response, request, context) => {
      let exchange: Exchange | null = null;
      try {
        exchange = new Exchange(response, request, settled);
        opened(exchange);
        const key = request.getHeader('sec-websocket-key');
        const given = exchange;
        const go = (answer: Awaited<ReturnType<SocketService['admit']>>): void => {
          if (answer.status !== 101) refuse(given, answer);
          else
            given.upgrade<Kept>(
              answer.headers,
              { client: service.clientOf(given), connection: null },
              key,
              context,
            );
        };
        const admitted = service.admit(exchange);
        if (admitted instanceof Promise) {
          void admitted.then(go).catch((error: unknown) => {
            failed(error);
            given.abandon();
          });
        } else go(admitted);
      } catch (error) {
        failed(error);
        if (exchange === null) response.close();
        else exchange.abandon();
      }
      exchange?.arrived();
    },
    open: (socket) => {
      const connection = new Connection(socket);
      socket.getUserData().connection = connection;
      connections.add(connection);
      guarded(connection, () => {
        connection.listener = service.opened(connection, socket.getUserData().client);
      });
    },
    message: (socket, message, isBinary) => {
      const { connection } = socket.getUserData();
      guarded(connection, () => {
        const text = isBinary ? null : Buffer.from(message).toString('utf8');
        connection?.listener?.received(text);
      });
    },
    ping: (socket) => {
      const { connection } = socket.getUserData();
      guarded(connection, () => connection?.listener?.frameReceived());
    },
    pong: (socket) => {
      const { connection } = socket.getUserData();
      guarded(connection, () => connection?.listener?.frameReceived());
    },
    drain: (socket) => {
      const { connection } = socket.getUserData();
      guarded(connection, () => connection?.listener?.drained());
    },
    close: (socket) => {
      const { connection } = socket.getUserData();
      if (connection === null) return;
      connections.delete(connection);
      guarded(null, () => connection.ended());
      if (connections.size === 0) allClosed?.();
    },
  });

  return {
    stop: async (budgetMs) => {
      guarded(null, () => service.stop());
      if (connections.size === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, budgetMs);
        allClosed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
