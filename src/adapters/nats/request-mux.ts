import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import type { SendOutcome } from '../../core/ports/bus.ts';
import type { BusConnection } from './connection.ts';

/** Result of a request. */
export type Answer =
  | { readonly type: 'answered'; readonly message: Msg }
  | { readonly type: 'timedOut' }
  | { readonly type: 'noResponders' }
  | { readonly type: Exclude<SendOutcome, 'sent'> };

interface Pending {
  readonly settle: (answer: Answer) => void;
  readonly timer: NodeJS.Timeout;
}

interface Question {
  readonly subject: string;
  readonly timeoutMs: number;
  readonly headers?: MsgHdrs;
  /** Letters at the start of the inbox token, by which a late reply is recognized. */
  readonly kind: string;
}

const NO_RESPONDERS = 503;

/**
 * Requests and replies over one subscription: publishing with an own inbox costs a tenth of the client's `request()`
 * (docs/dependency-hazards.md#limits-of-lmdb-and-the-engine). The inbox stays the same over all connections, so that a
 * reply to a request of the previous one is recognized.
 */
export class RequestMux {
  readonly #inbox = createInbox();
  readonly #connection: BusConnection;
  readonly #onLate: (kind: string, message: Msg) => void;
  readonly #pending = new Map<string, Pending>();
  #count = 0;

  constructor(connection: BusConnection, onLate: (kind: string, message: Msg) => void = () => undefined) {
    this.#connection = connection;
    this.#onLate = onLate;
  }

  sessionStarted(nc: NatsConnection): void {
    nc.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        // An error is a refused subscription, which the connection has reported.
        if (error === null) this.#answered(message);
      },
    });
  }

  /** Requests over the lost connection may never have arrived. */
  sessionEnded(): void {
    for (const token of [...this.#pending.keys()]) this.#settle(token, { type: 'disconnected' });
  }

  /** Ends the wait of every request of a kind as if it had timed out. */
  giveUp(kind: string): void {
    for (const token of [...this.#pending.keys()]) {
      if (kindOf(token) === kind) this.#settle(token, { type: 'timedOut' });
    }
  }

  /** Publishes the text with the inbox as the reply subject. */
  ask(question: Question, text: string): Promise<Answer> {
    const headers = question.headers === undefined ? {} : { headers: question.headers };
    return this.#open(question, (inbox) =>
      this.#connection.publish(question.subject, text, { reply: inbox, ...headers }),
    );
  }

  /**
   * Publishes a text that contains the inbox. The reply subject stays empty, because a stream would use it for its own
   * acknowledgment.
   */
  askWithin(question: Question, textWith: (inbox: string) => string): Promise<Answer> {
    return this.#open(question, (inbox) => this.#connection.publish(question.subject, textWith(inbox)));
  }

  #open(question: Question, publish: (inbox: string) => SendOutcome): Promise<Answer> {
    this.#count += 1;
    const token = `${question.kind}${this.#count}`;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(token, { type: 'timedOut' }), question.timeoutMs);
      this.#pending.set(token, { settle: resolve, timer });
      const sent = publish(`${this.#inbox}.${token}`);
      if (sent !== 'sent') this.#settle(token, { type: sent });
    });
  }

  #answered(message: Msg): void {
    const token = message.subject.slice(this.#inbox.length + 1);
    const isUnheard = message.data.length === 0 && message.headers?.code === NO_RESPONDERS;
    const answer: Answer = isUnheard ? { type: 'noResponders' } : { type: 'answered', message };
    if (!this.#settle(token, answer) && !isUnheard) this.#onLate(kindOf(token), message);
  }

  #settle(token: string, answer: Answer): boolean {
    const pending = this.#pending.get(token);
    if (pending === undefined) return false;
    this.#pending.delete(token);
    clearTimeout(pending.timer);
    pending.settle(answer);
    return true;
  }
}

const kindOf = (token: string): string => token.replace(/\d+$/, '');
