import type { WebSocket } from 'uWebSockets.js';
import type { SendOutcome } from '../../ws/socket.ts';
import type { Visitor } from '../../guards/principal.ts';
import type { EngineSocket, EngineSocketListener } from '../engine.ts';

/** Data that the engine stores with a WebSocket connection. */
export interface Kept {
  readonly visitor: Visitor;
  connection: { readonly socket: UwsSocket; readonly listener: EngineSocketListener } | null;
  isClosed: boolean;
}

/** Results of the engine's `send`, by number. */
const OUTCOMES: readonly SendOutcome[] = ['queued', 'sent', 'refused'];

/**
 * The only holder of an engine's WebSocket, which throws if it is used after its end: `#socket` is null from then on.
 */
export class UwsSocket implements EngineSocket {
  #socket: WebSocket<Kept> | null;

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

  /** Must be called after the engine has released the connection. */
  released(): void {
    this.#socket = null;
  }

  abandon(): void {
    this.#socket?.close();
  }
}
