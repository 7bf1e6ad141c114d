import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { isUuid, queueId, type QueueId } from '../../core/ids.ts';
import type { BusEvent, PrepareOutcome, SendOutcome, ServiceBusListener } from '../../core/ports/bus.ts';
import type { LeaseRequest } from '../../core/wire/bus-messages.ts';
import { isInbox } from '../../core/wire/identifiers.ts';
import { parseLeaseRequest } from '../../core/wire/lease-request.ts';
import { senderFault, type RefusalReason } from '../../core/wire/sender-check.ts';
import {
  ANY_QUEUE,
  leaseRequests,
  parseWorkerSubject,
  SERVICE_INBOX_ROOT,
  subjects,
} from '../../core/wire/subjects.ts';
import { BusConnection, reasonOf, type ServerFacts } from './connection.ts';
import { readText } from './message-text.ts';
import { RequestMux } from './request-mux.ts';
import type { ServerList } from './server-address.ts';

interface RequestOptions {
  readonly servers: ServerList;
  /** Name of the connection. */
  readonly name: string;
  readonly isScoped: boolean;
}

interface RequestCallbacks extends Pick<ServiceBusListener, 'leaseRequested'> {
  /** The bus has processed the subscriptions. */
  inPlace(): void;
  /** The subscriptions are missing: before the first connection, and without one. */
  missing(): void;
  refused(reason: RefusalReason, subject: string): void;
  changed(event: BusEvent): void;
}

type LeaseQuestion =
  | {
      readonly kind: 'valid';
      readonly request: LeaseRequest;
      readonly queue: QueueId | typeof ANY_QUEUE;
      readonly inbox: string;
    }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: RefusalReason };

/**
 * The connection of a shard for requests and replies: lease requests, replies to inboxes, published cancels. By its
 * subscriptions, the bus knows that a service is connected.
 */
export class ShardRequests {
  readonly connection: BusConnection;
  readonly mux: RequestMux;
  readonly #isScoped: boolean;
  readonly #callbacks: RequestCallbacks;
  #nc: NatsConnection | null = null;

  constructor({ servers, name, isScoped }: RequestOptions, callbacks: RequestCallbacks) {
    this.#isScoped = isScoped;
    this.#callbacks = callbacks;
    this.connection = new BusConnection(
      { servers, name, inboxPrefix: SERVICE_INBOX_ROOT },
      {
        sessionStarted: (nc) => this.#sessionStarted(nc),
        sessionEnded: () => {
          this.#nc = null;
          callbacks.missing();
          this.mux.sessionEnded();
        },
        changed: (event) => callbacks.changed(event),
      },
    );
    this.mux = new RequestMux(this.connection, SERVICE_INBOX_ROOT);
  }

  serverFacts(): ServerFacts | null {
    return this.connection.serverFacts();
  }

  answer(inbox: string, text: string): SendOutcome {
    return isInbox(inbox) ? this.connection.publishFrame(inbox, text) : 'bad-subject';
  }

  prepare(inbox: string, text: string): PrepareOutcome {
    return isInbox(inbox) ? this.connection.prepareFrame(inbox, text) : 'bad-subject';
  }

  #sessionStarted(nc: NatsConnection): void {
    this.#nc = nc;
    this.#callbacks.missing();
    this.mux.sessionStarted(nc);
    // The subscription itself is what matters: without it, the bus tells workers that no service is connected.
    nc.subscribe(subjects.allPresent, { callback: () => undefined });
    void this.#confirmPresent(nc);
    nc.subscribe(leaseRequests(this.#isScoped), {
      callback: (error, message) => {
        // An error is a refused subscription, which the connection has reported.
        if (error === null) this.#leaseRequested(message);
      },
    });
  }

  /** The shard is connected only when the bus has processed its subscriptions. */
  async #confirmPresent(nc: NatsConnection): Promise<void> {
    try {
      await nc.flush();
    } catch (error) {
      if (nc.isClosed()) return;
      this.#callbacks.changed({
        type: 'impaired',
        part: 'presence of the service',
        reason: reasonOf(error),
      });
      await nc.close();
      return;
    }
    if (this.#nc === nc) this.#callbacks.inPlace();
  }

  #leaseRequested(message: Msg): void {
    const { subject } = message;
    const read = readLeaseRequest(message, this.#isScoped);
    switch (read.kind) {
      case 'invalid':
        this.#callbacks.changed({ type: 'poisoned', subject, reason: read.reason });
        return;
      case 'refused':
        this.#callbacks.refused(read.reason, subject);
        return;
      case 'valid':
        try {
          this.#callbacks.leaseRequested(read.request, read.queue, read.inbox);
        } catch (error) {
          this.#callbacks.changed({ type: 'listenerFailed', subject, error });
        }
    }
  }
}

function readLeaseRequest({ subject, reply: inbox = '', data }: Msg, isScoped: boolean): LeaseQuestion {
  const parsed = parseWorkerSubject('lease', subject);
  const queue = parsed === null ? null : queueOf(parsed.about);
  if (parsed === null || queue === null) return { kind: 'invalid', reason: 'subject: must name a queue' };
  if (!isInbox(inbox)) return { kind: 'invalid', reason: 'reply: must be an inbox' };
  const request = readText(data, parseLeaseRequest);
  if (!request.ok) return { kind: 'invalid', reason: request.reason };
  const fault = senderFault(parsed, request.value.worker_id, inbox, isScoped);
  if (fault !== null) return { kind: 'refused', reason: fault };
  return { kind: 'valid', request: request.value, queue, inbox };
}

/** Returns the queue that a token of a lease subject names; null if it is invalid. */
function queueOf(token: string): QueueId | typeof ANY_QUEUE | null {
  if (token === ANY_QUEUE) return ANY_QUEUE;
  return isUuid(token) ? queueId(token) : null;
}
