import type { JsMsg } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { BusEvent } from '../../core/ports/bus.ts';
import { SERVICE_INBOX_ROOT, STREAMS } from '../../core/wire/subjects.ts';
import { backoffMs } from './backoff.ts';
import { BusConnection, reasonOf, withDeadline } from './connection.ts';
import { DurableConsumer, type Redelivery } from './durable-consumer.ts';
import { CONNECTION_LIMITS } from './limits.ts';
import type { ServerList } from './server-address.ts';
import { StreamWatch, streamFaults } from './stream-watch.ts';
import { ensureStream, managerOf, noteRepair, replicasOn, type StreamKind } from './streams.ts';

interface StreamOptions {
  readonly servers: ServerList;
  readonly shard: { readonly index: number; readonly count: number };
  /** Epoch in which this node owns the farms; null on a single node. */
  readonly epoch: number | null;
  readonly redelivery: Redelivery;
  /** `bus.replicas`; null if it is not set. */
  readonly replicas: number | null;
}

interface StreamCallbacks {
  delivered(kind: 'status' | 'presence', message: JsMsg): void;
  inPlace(kind: StreamKind): void;
  /** A stream or its consumer is missing: before the first connection, without one, and after a loss. */
  missing(kind: StreamKind): void;
  changed(event: BusEvent): void;
}

/** The streams of a shard. */
const KINDS = ['status', 'presence', 'cancel'] as const satisfies readonly StreamKind[];
const CONSUMED = ['status', 'presence'] as const;
const UNACKNOWLEDGED_MAX = 20_000;
const PULLED = 1000;

/** The name of the consumers of a shard, the same at every start. */
export const shardName = ({ index, count }: StreamOptions['shard']): string => `shard-${index}-of-${count}`;

/** Returns the event of the connection of the streams: it says which of the connections it is about. */
function ofStreams(event: BusEvent): BusEvent {
  switch (event.type) {
    case 'connected':
    case 'disconnected':
    case 'unreachable':
    case 'server-error':
      return { ...event, purpose: 'streams' };
    default:
      return event;
  }
}

/** The connection of a shard for streams: their consumers and their management. Workers have no access to these. */
export class ShardStreams {
  readonly connection: BusConnection;
  readonly #replicas: number | null;
  readonly #callbacks: StreamCallbacks;
  /** Null for all shards but the first one: one watch is enough. */
  readonly #watch: StreamWatch | null;
  readonly #consumers: readonly DurableConsumer[];
  #nc: NatsConnection | null = null;
  /** Pending creation of the stream of cancels, shared by all callers. */
  #preparing: Promise<void> | null = null;
  #checking: Promise<string | null> | null = null;

  constructor({ servers, shard, epoch, redelivery, replicas }: StreamOptions, callbacks: StreamCallbacks) {
    this.#replicas = replicas;
    this.#callbacks = callbacks;
    this.#watch =
      shard.index === 0 ? new StreamWatch(KINDS, replicas, (event) => callbacks.changed(event)) : null;
    const name = shardName(shard);
    this.#consumers = CONSUMED.map(
      (kind) =>
        new DurableConsumer(
          {
            kind,
            replicas,
            identity: { name, epoch },
            redelivery,
            unacknowledgedMax: UNACKNOWLEDGED_MAX,
            pulled: PULLED,
          },
          {
            delivered: (message) => callbacks.delivered(kind, message),
            started: () => callbacks.inPlace(kind),
            changed: (event) => this.#changed(event, kind),
          },
        ),
    );
    this.connection = new BusConnection(
      { servers, name: `callsheet ${name} streams`, inboxPrefix: SERVICE_INBOX_ROOT },
      {
        sessionStarted: (nc) => this.#sessionStarted(nc),
        sessionEnded: () => this.#sessionEnded(),
        changed: (event) => callbacks.changed(ofStreams(event)),
      },
    );
  }

  check(): Promise<string | null> {
    const nc = this.#nc;
    if (nc === null || nc.isClosed()) return Promise.resolve('not connected to a server');
    // The stream of logs, too: the logs thread may be busy with a flood of output.
    this.#checking ??= streamFaults(nc, [...KINDS, 'logs']).finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  /** Creates the stream of cancels if it is missing. Returns false if there is no connection. */
  async prepareCancels(): Promise<boolean> {
    const nc = this.#nc;
    if (nc === null) return false;
    await this.#prepareCancels(nc);
    return true;
  }

  #sessionStarted(nc: NatsConnection): void {
    this.#nc = nc;
    for (const kind of KINDS) this.#callbacks.missing(kind);
    for (const consumer of this.#consumers) void consumer.serve(nc);
    nc.subscribe(`$JS.EVENT.ADVISORY.STREAM.DELETED.${STREAMS.cancel.name}`, {
      callback: (error) => {
        if (error !== null || this.#preparing !== null) return;
        this.#callbacks.missing('cancel');
        void withDeadline(nc.closed(), CONNECTION_LIMITS.repairMsMin).then(() => this.#prepareCancels(nc));
      },
    });
    void this.#prepareCancels(nc);
    void this.#watch?.serve(nc);
  }

  #sessionEnded(): void {
    this.#nc = null;
    for (const kind of KINDS) this.#callbacks.missing(kind);
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
        noteRepair(repair, (event) => this.#callbacks.changed(event));
        this.#callbacks.inPlace('cancel');
        return;
      } catch (error) {
        if (nc.isClosed()) return;
        this.#changed({ type: 'impaired', part: 'stream of cancels', reason: reasonOf(error) }, 'cancel');
        await withDeadline(nc.closed(), backoffMs(failures, repairMsMin, repairMsMax));
      }
    }
  }

  #changed(event: BusEvent, kind: StreamKind): void {
    if (event.type === 'impaired') this.#callbacks.missing(kind);
    this.#callbacks.changed(event);
  }
}
