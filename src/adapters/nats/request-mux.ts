import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import type { SendOutcome } from '../../core/ports/bus.ts';
import type { BusConnection } from './connection.ts';

/** What came of a question. */
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
  /** Begins the token of the inbox, so that a late answer shows what it was an answer to: letters. */
  readonly kind: string;
}

const NO_RESPONDERS = 503;

/**
 * Questions and their answers over one subscription: a publish with an own inbox costs a tenth of the client's
 * `request()` (docs/dependency-hazards.md#limits-of-lmdb-and-the-engine). The inbox stays the same over connections, so
 * that an answer to a question of the last one is still recognised.
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

  /** What was asked over the lost connection may never have arrived. */
  sessionEnded(): void {
    for (const token of [...this.#pending.keys()]) this.#settle(token, { type: 'disconnected' });
  }

  /** Ends the wait of every question of a kind as if its time was over. */
  giveUp(kind: string): void {
    for (const token of [...this.#pending.keys()]) {
      if (kindOf(token) === kind) this.#settle(token, { type: 'timedOut' });
    }
  }

  /** Publishes the text with the inbox in the message's reply field. */
  ask(question: Question, text: string): Promise<Answer> {
    const headers = question.headers === undefined ? {} : { headers: question.headers };
    return this.#open(question, (inbox) =>
      this.#connection.publish(question.subject, text, { reply: inbox, ...headers }),
    );
  }

  /**
   * Publishes a text that holds the inbox. The reply field stays empty: a stream would use it for its own
   * acknowledgement.
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
