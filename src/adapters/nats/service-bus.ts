import type { JsMsg } from '@nats-io/jetstream';
import type { WorkerId } from '../../core/ids.ts';
import type { PrepareOutcome, ServiceBus, ServiceBusListener, SendOutcome } from '../../core/ports/bus.ts';
import type {
  CancelMessage,
  LeaseReply,
  OwnerMessage,
  PresenceMessage,
  PresenceReply,
  StatusMessage,
} from '../../core/wire/bus-messages.ts';
import type { SingleBus } from '../../core/records/worker.ts';
import { LeaseReplyWriter } from '../../core/wire/lease-reply-text.ts';
import { presenceFault, statusFault, type RefusalReason } from '../../core/wire/sender-check.ts';
import { scopedSubjects, subjects } from '../../core/wire/subjects.ts';
import { parsePresence, parseStatus } from '../../core/wire/worker-messages.ts';
import { receive, type DeliveryParser } from './deliveries.ts';
import type { Redelivery } from './durable-consumer.ts';
import { RefusedMessages } from './refused-messages.ts';
import type { ServerList } from './server-address.ts';
import { ShardRequests } from './shard-requests.ts';
import { shardName, ShardStreams } from './shard-streams.ts';
import { store } from './store-message.ts';
import type { StreamKind } from './streams.ts';

/** Selects the identity of a server that alone is the bus. */
export interface BusIdentityRule {
  /** The name stays the same when the server restarts, but only that of the managed server is unique. */
  readonly field: 'name' | 'id';
  /** Time since the last reply of a service for which workers may count its absence as contact. */
  readonly limitMs: number;
}

interface ServiceBusOptions {
  /** Servers of the connection for requests and replies. */
  readonly servers: ServerList;
  /** Servers of the connection for streams. They may be the same, with the same access or another one. */
  readonly streamServers: ServerList;
  /** Whether the subjects of workers end with their ids, because each worker has a credential of its own. */
  readonly isScoped: boolean;
  /** Index and number of shards: each shard has its own consumers. */
  readonly shard: { readonly index: number; readonly count: number };
  /** Epoch in which this node owns the farms; null or absent on a single node. */
  readonly epoch?: number | null;
  readonly redelivery?: Redelivery;
  /** `bus.replicas`; null or absent if it is not set. */
  readonly replicas?: number | null;
  /** How the bus identifies itself to workers as the only server; null if it must not. */
  readonly identity?: BusIdentityRule | null;
}

/**
 * A shard acknowledges within milliseconds: a message without an acknowledgment after seconds was lost with a process
 * or a connection.
 */
const REDELIVERY: Redelivery = { waitsMs: [10_000, 10_000, 20_000, 30_000, 60_000], deliveriesMax: 10 };

/** Part of a session: the subscriptions by which the bus knows that a service is connected. */
const PRESENT = 'present';

/** Connects to the bus as one shard of the service. Starts immediately; the server may not be up yet. */
export function connectShardBus(options: ServiceBusOptions, listener: ServiceBusListener): ServiceBus {
  return new NatsServiceBus(options, listener);
}

/**
 * Joins the two connections of a shard. It is ready while both are in place.
 *
 * A message that its sender may not send is discarded. All shards receive the same messages: only the first one reports
 * it.
 */
class NatsServiceBus implements ServiceBus {
  readonly #options: ServiceBusOptions;
  readonly #listener: ServiceBusListener;
  readonly #requests: ShardRequests;
  readonly #streams: ShardStreams;
  readonly #refused: RefusedMessages | null;
  readonly #writer = new LeaseReplyWriter();
  /** Parts of the sessions that are not in place yet. */
  readonly #missing = new Set<StreamKind | typeof PRESENT>(['status', 'presence', 'cancel', PRESENT]);

  constructor(options: ServiceBusOptions, listener: ServiceBusListener) {
    this.#options = options;
    this.#listener = listener;
    const { shard, isScoped } = options;
    this.#refused = shard.index === 0 ? new RefusedMessages((event) => listener.busChanged(event)) : null;
    this.#requests = new ShardRequests(
      { servers: options.servers, name: `callsheet ${shardName(shard)}`, isScoped },
      {
        leaseRequested: (request, queue, inbox) => listener.leaseRequested(request, queue, inbox),
        inPlace: () => this.#inPlace(PRESENT),
        missing: () => this.#missing.add(PRESENT),
        refused: (reason, subject) => this.#refused?.add(reason, subject),
        changed: (event) => listener.busChanged(event),
      },
    );
    this.#streams = new ShardStreams(
      {
        servers: options.streamServers,
        shard,
        epoch: options.epoch ?? null,
        redelivery: options.redelivery ?? REDELIVERY,
        replicas: options.replicas ?? null,
      },
      {
        delivered: this.#deliveries(),
        inPlace: (kind) => this.#inPlace(kind),
        missing: (kind) => this.#missing.add(kind),
        changed: (event) => listener.busChanged(event),
      },
    );
  }

  singleBus(): SingleBus | null {
    const facts = this.#requests.serverFacts();
    const { identity = null } = this.#options;
    if (identity === null || facts === null || !facts.isSingle) return null;
    return { id: facts[identity.field], limitMs: identity.limitMs };
  }

  answerLease(inbox: string, reply: LeaseReply): SendOutcome {
    return this.#requests.answer(inbox, this.#writer.textOf(reply));
  }

  answerPresence(inbox: string, reply: PresenceReply): SendOutcome {
    return this.#requests.answer(inbox, JSON.stringify(reply));
  }

  prepareLease(inbox: string, reply: LeaseReply): PrepareOutcome {
    return this.#requests.prepare(inbox, this.#writer.textOf(reply));
  }

  preparePresence(inbox: string, reply: PresenceReply): PrepareOutcome {
    return this.#requests.prepare(inbox, JSON.stringify(reply));
  }

  takePrepared(): () => void {
    return this.#requests.connection.takePrepared();
  }

  cancelAttempt(worker: WorkerId, message: CancelMessage): void {
    const { cancel } = this.#options.isScoped ? scopedSubjects(worker) : subjects;
    void this.#storeCancel(cancel(message.task_id), JSON.stringify(message));
  }

  announceOwner(message: OwnerMessage): SendOutcome {
    return this.#requests.connection.publish(subjects.owner, JSON.stringify(message));
  }

  async check(timeoutMs: number): Promise<string | null> {
    const [requests, streams] = await Promise.all([
      this.#requests.connection.check(timeoutMs),
      this.#streams.connection.check(timeoutMs),
    ]);
    return requests ?? (streams === null ? null : `connection of the streams: ${streams}`);
  }

  checkStreams(): Promise<string | null> {
    return this.#streams.check();
  }

  async close(): Promise<void> {
    // No message of a stream may arrive when it can no longer be answered.
    await this.#streams.connection.close();
    await this.#requests.connection.close();
    this.#refused?.close();
  }

  /** Returns the function that parses and checks the messages of the streams. */
  #deliveries(): (kind: 'status' | 'presence', message: JsMsg) => void {
    const { isScoped } = this.#options;
    const listener = this.#listener;
    const common = {
      changed: listener.busChanged.bind(listener),
      refused: (reason: RefusalReason, subject: string) => this.#refused?.add(reason, subject),
    };
    const statuses: DeliveryParser<StatusMessage> = {
      ...common,
      parse: parseStatus,
      subjectFault: (subject, message) => statusFault(subject, message, isScoped),
    };
    const presence: DeliveryParser<PresenceMessage> = {
      ...common,
      parse: parsePresence,
      subjectFault: (subject, message) => presenceFault(subject, message, isScoped),
    };
    return (kind, message) => {
      if (kind === 'status') receive(message, statuses, (delivery) => listener.statusReported(delivery));
      else receive(message, presence, (delivery) => listener.presenceAnnounced(delivery));
    };
  }

  async #storeCancel(subject: string, text: string): Promise<void> {
    let outcome = await store(this.#requests.mux, subject, text);
    // If the stream is missing, there is no acknowledgment; a subscribed worker hides the "no responders" status.
    const mayBeMissing = outcome.type === 'noResponders' || outcome.type === 'timedOut';
    if (mayBeMissing && (await this.#streams.prepareCancels()))
      outcome = await store(this.#requests.mux, subject, text);
    if (outcome.type === 'stored') return;
    const reason = 'reason' in outcome ? outcome.reason : outcome.type;
    this.#listener.busChanged({ type: 'publish-failed', subject, reason });
  }

  #inPlace(part: StreamKind | typeof PRESENT): void {
    this.#missing.delete(part);
    if (this.#missing.size === 0) this.#listener.busChanged({ type: 'ready' });
  }
}
