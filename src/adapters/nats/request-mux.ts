import { randomBytes } from 'node:crypto';
import type { Msg, MsgHdrs, NatsConnection } from '@nats-io/transport-node';
import type { SendOutcome } from '../../core/ports/bus.ts';
import type { BusConnection } from './connection.ts';
import { RandomTokens } from './random-tokens.ts';

/** Result of a request. */
export type Answer =
  | { readonly type: 'answered'; readonly message: Msg }
  | { readonly type: 'timedOut' }
  | { readonly type: 'noResponders' }
  | { readonly type: Exclude<SendOutcome, 'sent'> };

interface Pending {
  readonly kind: string;
  readonly settle: (answer: Answer) => void;
  readonly timer: NodeJS.Timeout;
}

interface Question {
  readonly subject: string;
  readonly timeoutMs: number;
  readonly headers?: MsgHdrs;
  /** Requests of one kind can be given up together. Late replies are used for one kind only. */
  readonly kind: string;
}

/** Requests whose late replies are used. */
interface LateReplies {
  readonly kind: string;
  /** Called at most once for each request that ended without a reply. */
  readonly answered: (message: Msg) => void;
}

const NO_RESPONDERS = 503;
/** Bytes of the random part of the inbox: 24 characters. */
const INBOX_BYTES = 18;
/** Number of requests without a reply whose late reply is still accepted; the oldest are forgotten. */
const LATE_MAX = 1000;

/**
 * Requests and replies over one subscription: publishing with an own inbox costs a tenth of the client's `request()`
 * (docs/dependency-hazards.md#limits-of-lmdb-and-the-engine). The inbox stays the same over all connections, so that a
 * reply to a request of the previous one is recognized.
 *
 * Only a receiver of a request can answer it: the inbox has a random name, and so has each request. A name is
 * valid for one reply.
 */
export class RequestMux {
  readonly #inbox: string;
  readonly #connection: Pick<BusConnection, 'publish'>;
  readonly #late: LateReplies | null;
  readonly #tokens = new RandomTokens();
  readonly #pending = new Map<string, Pending>();
  /** Tokens of requests that ended without a reply, in order. */
  readonly #unanswered = new Set<string>();

  /** `root` is the start of the inbox, such as `_INBOX`. */
  constructor(connection: Pick<BusConnection, 'publish'>, root: string, late: LateReplies | null = null) {
    this.#connection = connection;
    this.#inbox = `${root}.${randomBytes(INBOX_BYTES).toString('base64url')}`;
    this.#late = late;
  }

  sessionStarted(nc: Pick<NatsConnection, 'subscribe'>): void {
    nc.subscribe(`${this.#inbox}.*`, {
      callback: (error, message) => {
        // An error is a refused subscription, which the connection has reported.
        if (error === null) this.#answered(message);
      },
    });
  }

  /** Requests over the lost connection may never have arrived. */
  sessionEnded(): void {
    for (const token of [...this.#pending.keys()]) this.#end(token, { type: 'disconnected' });
  }

  /** Ends the wait of every request of a kind as if it had timed out. */
  giveUp(kind: string): void {
    for (const [token, pending] of [...this.#pending]) {
      if (pending.kind === kind) this.#end(token, { type: 'timedOut' });
    }
  }

  /** Publishes the text, or the bytes, with the inbox as the reply subject. */
  ask(question: Question, text: string | Uint8Array): Promise<Answer> {
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
    const token = this.#tokens.next();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#end(token, { type: 'timedOut' }), question.timeoutMs);
      this.#pending.set(token, { kind: question.kind, settle: resolve, timer });
      const sent = publish(`${this.#inbox}.${token}`);
      if (sent !== 'sent') this.#settle(token, { type: sent });
    });
  }

  #answered(message: Msg): void {
    const token = message.subject.slice(this.#inbox.length + 1);
    const isUnheard = message.data.length === 0 && message.headers?.code === NO_RESPONDERS;
    const answer: Answer = isUnheard ? { type: 'noResponders' } : { type: 'answered', message };
    if (this.#settle(token, answer) !== null || isUnheard) return;
    if (this.#unanswered.delete(token)) this.#late?.answered(message);
  }

  /** Settles a request without a reply. A later reply to it is a late one. */
  #end(token: string, answer: Answer): void {
    const kind = this.#settle(token, answer);
    if (kind === null || kind !== this.#late?.kind) return;
    const [oldest] = this.#unanswered;
    if (oldest !== undefined && this.#unanswered.size >= LATE_MAX) this.#unanswered.delete(oldest);
    this.#unanswered.add(token);
  }

  /** Returns the kind of the request, or null if there is none with this token. */
  #settle(token: string, answer: Answer): string | null {
    const pending = this.#pending.get(token);
    if (pending === undefined) return null;
    this.#pending.delete(token);
    clearTimeout(pending.timer);
    pending.settle(answer);
    return pending.kind;
  }
}
