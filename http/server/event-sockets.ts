import type { SocketListener, SocketService } from '../ws/socket.ts';
import type { Visitor } from '../guards/principal.ts';
import type { EngineSocket, EngineSocketListener } from './engine.ts';

/** Open WebSocket connections of any engine. An error of the service closes the connection that it concerns. */
export class EventSockets {
  readonly #service: Pick<SocketService, 'opened' | 'stop'>;
  readonly #failed: (error: unknown) => void;
  readonly #open = new Set<EngineSocket>();
  #allClosed: (() => void) | null = null;

  constructor(service: Pick<SocketService, 'opened' | 'stop'>, failed: (error: unknown) => void) {
    this.#service = service;
    this.#failed = failed;
  }

  /** Registers a connection. */
  opened(socket: EngineSocket, visitor: Visitor): EngineSocketListener {
    let listener: SocketListener | null = null;
    this.#open.add(socket);
    this.#guarded(socket, () => {
      listener = this.#service.opened(socket, visitor);
    });
    return {
      received: (text) => this.#guarded(socket, () => listener?.received(text)),
      frameReceived: () => this.#guarded(socket, () => listener?.frameReceived()),
      drained: () => this.#guarded(socket, () => listener?.drained()),
      closed: () => {
        if (!this.#open.delete(socket)) return;
        this.#guarded(null, () => listener?.closed());
        if (this.#open.size === 0) this.#allClosed?.();
      },
    };
  }

  /** Closes all connections. Resolves when they are closed, or after `budgetMs` milliseconds. */
  async stop(budgetMs: number): Promise<void> {
    this.#guarded(null, () => this.#service.stop());
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, budgetMs);
      this.#allClosed = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #guarded(socket: EngineSocket | null, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#failed(error);
      socket?.abandon();
    }
  }
}
