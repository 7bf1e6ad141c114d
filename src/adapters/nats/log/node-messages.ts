import type { NatsConnection } from '@nats-io/transport-node';
import type { BusConnection } from '../connection.ts';
import type { RequestMux } from '../request-mux.ts';

/** Handles a message. `answer` sends the reply that the sender waits for, if it waits. */
export type MessageHandler = (data: Uint8Array, answer: (data: Uint8Array) => void) => void;

/** Messages between the nodes of a cluster that are not stored. */
export class NodeMessages {
  readonly #connection: Pick<BusConnection, 'publish'>;
  readonly #mux: RequestMux;
  readonly #handlers = new Map<string, MessageHandler>();
  #nc: Pick<NatsConnection, 'subscribe'> | null = null;

  constructor(connection: Pick<BusConnection, 'publish'>, mux: RequestMux) {
    this.#connection = connection;
    this.#mux = mux;
  }

  sessionStarted(nc: Pick<NatsConnection, 'subscribe'>): void {
    this.#nc = nc;
    for (const [subject, handler] of this.#handlers) this.#subscribe(nc, subject, handler);
  }

  sessionEnded(): void {
    this.#nc = null;
  }

  /** Handles all messages to a subject from now on, over all connections. One handler for a subject. */
  listen(subject: string, handler: MessageHandler): void {
    this.#handlers.set(subject, handler);
    if (this.#nc !== null) this.#subscribe(this.#nc, subject, handler);
  }

  /** Sends a message to all who listen now. It may be lost. */
  tell(subject: string, data: string | Uint8Array): void {
    this.#connection.publish(subject, data);
  }

  /** Resolves with the first answer; null without one in time. */
  async ask(subject: string, data: string | Uint8Array, timeoutMs: number): Promise<Uint8Array | null> {
    const answer = await this.#mux.ask({ subject, timeoutMs, kind: 'node' }, data);
    return answer.type === 'answered' ? answer.message.data : null;
  }

  #subscribe(nc: Pick<NatsConnection, 'subscribe'>, subject: string, handler: MessageHandler): void {
    nc.subscribe(subject, {
      callback: (error, message) => {
        if (error !== null) return;
        const { reply = '' } = message;
        handler(message.data, (data) => {
          if (reply !== '') this.#connection.publish(reply, data);
        });
      },
    });
  }
}
