/**
 * States of an inbox: open, closed (final). Invariants: subscriptions survive the loss of a connection; an inbox is notified
 * of it once for each connection. Exits: `close` ends all.
 */

import { randomBytes } from 'node:crypto';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import type { BusEvent, SendOutcome } from '../../core/ports/bus.ts';
import { SERVICE_INBOX_ROOT } from '../../core/wire/subjects.ts';
import { BusConnection } from './connection.ts';
import type { ServerList } from './server-address.ts';

/** A message of another node. */
export interface NodeMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  /** Subject for the answer; empty if none is expected. */
  readonly replyTo: string;
}

/** Receiver of the answers to messages that were sent with the inbox. */
export interface InboxListener {
  readonly received: (data: Uint8Array) => void;
  /** Nothing subscribes to the subject of the message: it was not delivered. */
  readonly undelivered: () => void;
  /** The connection was lost: answers may be lost. */
  readonly interrupted: () => void;
}

export interface Inbox {
  readonly subject: string;
  close(): void;
}

export type NodeAnswer =
  | { readonly kind: 'answered'; readonly data: Uint8Array }
  /** The request was not delivered. */
  | { readonly kind: 'undelivered' }
  /** It may have been delivered. */
  | { readonly kind: 'silent' };

const NO_RESPONDERS = 503;
const TOKEN_BYTES = 12;

interface Listening {
  readonly subject: string;
  readonly received: (message: NodeMessage) => void;
  subscription: Subscription | null;
}

/** The connection over which the front ends of a cluster talk with each other. Reconnects until it is closed. */
export class NodeBus {
  readonly #connection: BusConnection;
  readonly #changed: (event: BusEvent) => void;
  readonly #root = `${SERVICE_INBOX_ROOT}.${randomBytes(18).toString('base64url')}`;
  readonly #listening = new Set<Listening>();
  readonly #inboxes = new Map<string, InboxListener>();
  #session: NatsConnection | null = null;

  /** Starts dialing. */
  constructor(servers: ServerList | (() => ServerList), changed: (event: BusEvent) => void) {
    this.#changed = changed;
    this.#connection = new BusConnection(
      { servers, name: 'callsheet front', inboxPrefix: SERVICE_INBOX_ROOT },
      {
        sessionStarted: (nc) => this.#started(nc),
        sessionEnded: () => this.#ended(),
        changed,
      },
    );
  }

  publish(subject: string, data: Uint8Array | string, replyTo?: string): SendOutcome {
    return this.#connection.publish(subject, data, replyTo === undefined ? {} : { reply: replyTo });
  }

  /** Receives the messages of a subject. Returns the function that ends it. */
  listen(subject: string, received: (message: NodeMessage) => void): () => void {
    const listening: Listening = { subject, received, subscription: null };
    this.#listening.add(listening);
    if (this.#session !== null) this.#subscribe(this.#session, listening);
    return () => {
      this.#listening.delete(listening);
      listening.subscription?.unsubscribe();
    };
  }

  /** Opens an inbox for any number of answers. */
  openInbox(listener: InboxListener): Inbox {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#inboxes.set(token, listener);
    return { subject: `${this.#root}.${token}`, close: () => this.#inboxes.delete(token) };
  }

  /** Sends a request with one answer. */
  request(subject: string, data: Uint8Array | string, timeoutMs: number): Promise<NodeAnswer> {
    return new Promise((resolve) => {
      const settle = (answer: NodeAnswer): void => {
        clearTimeout(timer);
        inbox.close();
        resolve(answer);
      };
      const timer = setTimeout(() => settle({ kind: 'silent' }), timeoutMs);
      const inbox = this.openInbox({
        received: (answer) => settle({ kind: 'answered', data: answer }),
        undelivered: () => settle({ kind: 'undelivered' }),
        interrupted: () => settle({ kind: 'silent' }),
      });
      if (this.publish(subject, data, inbox.subject) !== 'sent') settle({ kind: 'undelivered' });
    });
  }

  /** Returns null if a server answers within a time, otherwise why not. */
  check(timeoutMs: number): Promise<string | null> {
    return this.#connection.check(timeoutMs);
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  #started(nc: NatsConnection): void {
    this.#session = nc;
    nc.subscribe(`${this.#root}.*`, {
      callback: (error, message) => {
        // An error is a refused subscription, which the connection has reported.
        if (error === null) this.#answered(message);
      },
    });
    for (const listening of this.#listening) this.#subscribe(nc, listening);
  }

  #ended(): void {
    this.#session = null;
    for (const listening of this.#listening) listening.subscription = null;
    for (const listener of [...this.#inboxes.values()]) listener.interrupted();
  }

  #subscribe(nc: NatsConnection, listening: Listening): void {
    listening.subscription = nc.subscribe(listening.subject, {
      callback: (error, { subject, data, reply = '' }) => {
        if (error !== null) return;
        this.#guarded(subject, () => listening.received({ subject, data, replyTo: reply }));
      },
    });
  }

  #answered(message: Msg): void {
    const listener = this.#inboxes.get(message.subject.slice(this.#root.length + 1));
    if (listener === undefined) return;
    const isUndelivered = message.data.length === 0 && message.headers?.code === NO_RESPONDERS;
    this.#guarded(message.subject, () => {
      if (isUndelivered) listener.undelivered();
      else listener.received(message.data);
    });
  }

  #guarded(subject: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#changed({ type: 'listenerFailed', subject, error });
    }
  }
}
