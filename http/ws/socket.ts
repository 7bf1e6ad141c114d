import type { HttpRequest, HttpResponse } from '../pipeline/message.ts';

/** `queued`: it waits in the memory of the service until the client reads. `refused`: too much waits already, or the client is gone. */
export type SendOutcome = 'sent' | 'queued' | 'refused';

/** One WebSocket connection, without an engine. Nothing throws; what is done to a closed one has no effect. */
export interface Socket {
  send(text: string): SendOutcome;
  /** Whether nothing that was sent waits for the client. */
  readonly isClear: boolean;
  /** What `write` sends is written together. */
  together(write: () => void): void;
  /** A ping of the protocol. */
  ping(): void;
  /** Says the code and the reason and hangs up; a client that has not read what was sent before is told nothing. */
  close(code: number, reason: string): void;
}

/** What happens to one connection. */
export interface SocketListener {
  /** A message; null when it was not a text. */
  received(text: string | null): void;
  /** A ping or pong of the protocol. */
  heard(): void;
  /** What waited has become less. */
  drained(): void;
  closed(): void;
}

/** Whoever serves WebSocket connections. */
export interface SocketService {
  /** The answer to a request to upgrade: 101, or the refusal. */
  admit(request: HttpRequest): HttpResponse | Promise<HttpResponse>;
  opened(socket: Socket): SocketListener;
  /** Closes all connections. */
  stop(): void;
}
