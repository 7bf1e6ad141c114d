import type { Visitor } from '../guards/principal.ts';
import type { HttpRequest, HttpResponse } from '../pipeline/message.ts';

/** `queued`: waits in memory until the client reads. `refused`: too much is waiting, or the client has disconnected. */
export type SendOutcome = 'sent' | 'queued' | 'refused';

/** One WebSocket connection, independent of the engine. Methods never throw, and have no effect after a close. */
export interface Socket {
  send(text: string): SendOutcome;
  /** True if nothing waits for the client. */
  readonly isClear: boolean;
  /** Combines everything that `write` sends into one write. */
  together(write: () => void): void;
  /** Sends a ping frame. */
  ping(): void;
  /**
   * Sends a close frame and closes the connection. A client that has not read earlier data does not receive the
   * frame.
   */
  close(code: number, reason: string): void;
}

/** Callbacks of one connection. */
export interface SocketListener {
  /** Receives a message; null if it is not text. */
  received(text: string | null): void;
  /** Called for a ping or pong frame. */
  frameReceived(): void;
  /** Called when the client has read some data. */
  drained(): void;
  closed(): void;
}

/** Service of WebSocket connections. */
export interface SocketService {
  /** Answers a WebSocket handshake: 101 with the visitor, or a refusal. */
  admit(request: HttpRequest): HttpResponse | Promise<HttpResponse>;
  opened(socket: Socket, visitor: Visitor): SocketListener;
  /** Closes all connections. */
  stop(): void;
}
