import type { JsMsg } from '@nats-io/jetstream';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { isUuid, parseTaskId, queueId, type QueueId } from '../../core/ids.ts';
import type {
  BusEvent,
  PrepareOutcome,
  ServiceBus,
  ServiceBusListener,
  SendOutcome,
} from '../../core/ports/bus.ts';
import type {
  CancelMessage,
  LeaseReply,
  LeaseRequest,
  PresenceMessage,
  PresenceReply,
  StatusMessage,
} from '../../core/wire/bus-messages.ts';
import type { SingleBus } from '../../core/records/worker.ts';
import { isInbox } from '../../core/wire/identifiers.ts';
import { LeaseReplyWriter } from '../../core/wire/lease-reply-text.ts';
import type { Parsed } from '../../core/wire/json-text.ts';
import { ANY_QUEUE, lastToken, STREAMS, subjects } from '../../core/wire/subjects.ts';
import { parseLeaseRequest } from '../../core/wire/lease-request.ts';
import { parsePresence, parseStatus } from '../../core/wire/worker-messages.ts';
import { backoffMs } from './backoff.ts';
import { BusConnection, reasonOf, withDeadline } from './connection.ts';
import { receive, type DeliveryParser } from './deliveries.ts';
import { DurableConsumer, type Redelivery } from './durable-consumer.ts';
import { CONNECTION_LIMITS } from './limits.ts';
import { readText } from './message-text.ts';
import { RequestMux } from './request-mux.ts';
import type { ServerList } from './server-address.ts';
import { store } from './store-message.ts';
import { StreamWatch, streamFaults } from './stream-watch.ts';
import { ensureStream, managerOf, noteRepair, replicasOn, type StreamKind } from './streams.ts';

/** Selects the identity of a server that alone is the bus. */
export interface BusIdentityRule {
  /** The name stays the same when the server restarts, but only that of the managed server is unique. */
  readonly field: 'name' | 'id';
  /** Time since the last reply of a service for which workers may count its absence as contact. */
  readonly limitMs: number;
}

interface ServiceBusOptions {
  readonly servers: ServerList;
  /** Index and number of shards: each shard has its own consumers. */
  readonly shard: { readonly index: number; readonly count: number };
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
/** The streams of a shard. */
const KINDS: readonly StreamKind[] = ['status', 'presence', 'cancel'];
/** Part of a session: the subscription by which the bus knows that a service is connected. */
const PRESENT = 'present';
const UNACKNOWLEDGED_MAX = 20_000;
const PULLED = 1000;

const statusFault = (subject: string, message: StatusMessage): string | null =>
  parseTaskId(message.task_id)?.jobId === lastToken(subject) ? null : 'must name the job of task_id';

const presenceFault = (subject: string, message: PresenceMessage): string | null =>
  lastToken(subject) === message.type ? null : 'must be that of the type';

/** Returns the queue in a lease subject; null if it is invalid. */
function queueOf(subject: string): QueueId | typeof ANY_QUEUE | null {
  const token = lastToken(subject);
  if (token === ANY_QUEUE) return ANY_QUEUE;
  return isUuid(token) ? queueId(token) : null;
}

/** Connects to the bus as one shard of the service. Starts immediately; the server may not be up yet. */
export function connectShardBus(options: ServiceBusOptions, listener: ServiceBusListener): ServiceBus {
  return new NatsServiceBus(options, listener);
}

class NatsServiceBus implements ServiceBus {
  readonly #identity: BusIdentityRule | null;
  readonly #replicas: number | null;
  /** Null for all shards but the first one: one watch is enough. */
  readonly #watch: StreamWatch | null;
  readonly #listener: ServiceBusListener;
  readonly #connection: BusConnection;
  readonly #mux: RequestMux;
  readonly #writer = new LeaseReplyWriter();
  readonly #consumers: readonly DurableConsumer[];
  /** Parts of the session that are not in place yet. */
  #missing = new Set<string>();
  #nc: NatsConnection | null = null;
  /** Pending creation of the stream of cancels, shared by all callers. */
  #preparing: Promise<void> | null = null;
  #checking: Promise<string | null> | null = null;

  constructor(options: ServiceBusOptions, listener: ServiceBusListener) {
    this.#listener = listener;
    this.#identity = options.identity ?? null;
    this.#replicas = options.replicas ?? null;
    const { index, count } = options.shard;
    this.#watch =
      index === 0 ? new StreamWatch(KINDS, this.#replicas, (event) => listener.busChanged(event)) : null;
    const name = `shard-${index}-of-${count}`;
    const redelivery = options.redelivery ?? REDELIVERY;
    const consumer = (kind: 'status' | 'presence', delivered: (message: JsMsg) => void): DurableConsumer =>
      new DurableConsumer(
        {
          kind,
          replicas: this.#replicas,
          name,
          redelivery,
          unacknowledgedMax: UNACKNOWLEDGED_MAX,
          pulled: PULLED,
        },
        { delivered, started: () => this.#inPlace(kind), changed: (event) => this.#changed(event, kind) },
      );
    const statusDoor: DeliveryParser<StatusMessage> = {
      parse: parseStatus,
      subjectFault: statusFault,
      changed: (event) => listener.busChanged(event),
    };
    const presenceDoor: DeliveryParser<PresenceMessage> = {
      parse: parsePresence,
      subjectFault: presenceFault,
      changed: (event) => listener.busChanged(event),
    };
    this.#consumers = [
      consumer('status', (message) => {
        receive(message, statusDoor, (delivery) => listener.statusReported(delivery));
      }),
      consumer('presence', (message) => {
        receive(message, presenceDoor, (delivery) => listener.presenceAnnounced(delivery));
      }),
    ];
    this.#connection = new BusConnection(
      { servers: options.servers, name: `callsheet ${name}` },
      {
        sessionStarted: (nc) => this.#sessionStarted(nc),
        sessionEnded: () => this.#mux.sessionEnded(),
        changed: (event) => listener.busChanged(event),
      },
    );
    this.#mux = new RequestMux(this.#connection);
  }

  singleBus(): SingleBus | null {
    const facts = this.#connection.serverFacts();
    if (this.#identity === null || facts === null || !facts.isSingle) return null;
    const { field, limitMs } = this.#identity;
    return { id: facts[field], limitMs };
  }

  answerLease(inbox: string, reply: LeaseReply): SendOutcome {
    return this.#answer(inbox, this.#writer.textOf(reply));
  }

  answerPresence(inbox: string, reply: PresenceReply): SendOutcome {
    return this.#answer(inbox, JSON.stringify(reply));
  }

  prepareLease(inbox: string, reply: LeaseReply): PrepareOutcome {
    return this.#prepare(inbox, this.#writer.textOf(reply));
  }

  preparePresence(inbox: string, reply: PresenceReply): PrepareOutcome {
    return this.#prepare(inbox, JSON.stringify(reply));
  }

  takePrepared(): () => void {
    return this.#connection.takePrepared();
  }

  cancelAttempt(message: CancelMessage): void {
    void this.#storeCancel(subjects.cancel(message.task_id), JSON.stringify(message));
  }

  check(timeoutMs: number): Promise<string | null> {
    return this.#connection.check(timeoutMs);
  }

  checkStreams(): Promise<string | null> {
    const nc = this.#nc;
    if (nc === null || nc.isClosed()) return Promise.resolve('not connected to a server');
    // The stream of logs, too: the logs thread may be busy with a flood of output.
    this.#checking ??= streamFaults(nc, [...KINDS, 'logs']).finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #answer(inbox: string, text: string): SendOutcome {
    return isInbox(inbox) ? this.#connection.publishFrame(inbox, text) : 'bad-subject';
  }

  #prepare(inbox: string, text: string): PrepareOutcome {
    return isInbox(inbox) ? this.#connection.prepareFrame(inbox, text) : 'bad-subject';
  }

  #sessionStarted(nc: NatsConnection): void {
    this.#nc = nc;
    this.#missing = new Set(['status', 'presence', 'cancel', PRESENT]);
    this.#mux.sessionStarted(nc);
    // The subscription itself is what matters: without it, the bus tells workers that no service is connected.
    nc.subscribe(subjects.allPresent, { callback: () => undefined });
    void this.#confirmPresent(nc);
    nc.subscribe(subjects.leases, {
      callback: (error, message) => {
        // An error is a refused subscription, which the connection has reported.
        if (error === null) this.#leaseRequested(message);
      },
    });
    for (const consumer of this.#consumers) void consumer.serve(nc);
    nc.subscribe(`$JS.EVENT.ADVISORY.STREAM.DELETED.${STREAMS.cancel.name}`, {
      callback: (error) => {
        if (error !== null || this.#preparing !== null) return;
        this.#missing.add('cancel');
        void withDeadline(nc.closed(), CONNECTION_LIMITS.repairMsMin).then(() => this.#prepareCancels(nc));
      },
    });
    void this.#prepareCancels(nc);
    void this.#watch?.serve(nc);
  }

  /** The shard is connected only when the bus has processed its subscriptions. */
  async #confirmPresent(nc: NatsConnection): Promise<void> {
    try {
      await nc.flush();
    } catch (error) {
      if (nc.isClosed()) return;
      this.#changed({ type: 'impaired', part: 'presence of the service', reason: reasonOf(error) }, PRESENT);
      await nc.close();
      return;
    }
    if (this.#nc === nc) this.#inPlace(PRESENT);
  }

  #prepareCancels(nc: NatsConnection): Promise<void> {
    this.#preparing ??= this.#makeCancelStream(nc).finally(() => {
      this.#preparing = null;
    });
    return this.#preparing;
  }

  async #makeCancelStream(nc: NatsConnection): Promise<void> {
    const { repairMsMin, repairMsMax } = CONNECTION_LIMITS;
    for (let failures = 1; !nc.isClosed(); failures += 1) {
      try {
        const repair = await ensureStream(await managerOf(nc), 'cancel', replicasOn(nc, this.#replicas));
        noteRepair(repair, (event) => this.#listener.busChanged(event));
        this.#inPlace('cancel');
        return;
      } catch (error) {
        if (nc.isClosed()) return;
        this.#changed({ type: 'impaired', part: 'stream of cancels', reason: reasonOf(error) }, 'cancel');
        await withDeadline(nc.closed(), backoffMs(failures, repairMsMin, repairMsMax));
      }
    }
  }

  async #storeCancel(subject: string, text: string): Promise<void> {
    let outcome = await store(this.#mux, subject, text);
    const nc = this.#nc;
    // If the stream is missing, there is no acknowledgment; a subscribed worker hides the "no responders" status.
    if ((outcome.type === 'noResponders' || outcome.type === 'timedOut') && nc !== null) {
      await this.#prepareCancels(nc);
      outcome = await store(this.#mux, subject, text);
    }
    if (outcome.type === 'stored') return;
    const reason = 'reason' in outcome ? outcome.reason : outcome.type;
    this.#listener.busChanged({ type: 'publish-failed', subject, reason });
  }

  #inPlace(part: string): void {
    this.#missing.delete(part);
    if (this.#missing.size === 0) this.#listener.busChanged({ type: 'ready' });
  }

  #changed(event: BusEvent, part: string): void {
    if (event.type === 'impaired') this.#missing.add(part);
    this.#listener.busChanged(event);
  }

  #leaseRequested(message: Msg): void {
    const { subject } = message;
    const read = readLeaseRequest(message);
    if (!read.ok) {
      this.#listener.busChanged({ type: 'poisoned', subject, reason: read.reason });
      return;
    }
    const { request, queue, inbox } = read.value;
    try {
      this.#listener.leaseRequested(request, queue, inbox);
    } catch (error) {
      this.#listener.busChanged({ type: 'listenerFailed', subject, error });
    }
  }
}

interface LeaseQuestion {
  readonly request: LeaseRequest;
  readonly queue: QueueId | typeof ANY_QUEUE;
  readonly inbox: string;
}

function readLeaseRequest({ subject, reply: inbox = '', data }: Msg): Parsed<LeaseQuestion> {
  const queue = queueOf(subject);
  if (queue === null) return { ok: false, reason: 'subject: must name a queue' };
  if (!isInbox(inbox)) return { ok: false, reason: 'reply: must be an inbox' };
  const parsed = readText(data, parseLeaseRequest);
  return parsed.ok ? { ok: true, value: { request: parsed.value, queue, inbox } } : parsed;
}
