import {
  AckPolicy,
  DeliverPolicy,
  jetstream,
  jetstreamManager,
  ReplayPolicy,
  type ConsumerConfig,
  type ConsumerMessages,
  type JsMsg,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import type { BusEvent } from '../../core/ports/bus.ts';
import { messageParser, integer, record } from '../../core/wire/field-readers.ts';
import { WIRE_LIMITS } from '../../core/wire/limits.ts';
import { STREAMS } from '../../core/wire/subjects.ts';
import { backoffMs } from './backoff.ts';
import { reasonOf, withDeadline } from './connection.ts';
import { CONNECTION_LIMITS } from './limits.ts';
import { readText } from './message-text.ts';
import { consumerName, ensureConsumer, type ConsumerIdentity } from './owned-consumer.ts';
import { ensureStream, managerOf, noteRepair, replicasOn, type StreamKind } from './streams.ts';

/** Delays before redelivery of an unacknowledged message, by delivery; the last one applies to all later ones. */
export interface Redelivery {
  readonly waitsMs: readonly number[];
  /** -1: no limit. */
  readonly deliveriesMax: number;
}

interface ConsumerPlan {
  readonly kind: StreamKind;
  /** `bus.replicas`; null if it is not set. */
  readonly replicas: number | null;
  /** Of a node of a cluster, its name is the same at every start of an owner only. */
  readonly identity: ConsumerIdentity;
  readonly redelivery: Redelivery;
  /** Maximum number of delivered messages without an acknowledgment. */
  readonly unacknowledgedMax: number;
  /** Number of messages requested in advance. */
  readonly pulled: number;
}

interface ConsumerCallbacks {
  /** `streamCreatedAt` is the creation time of the stream. Must not throw. */
  delivered(message: JsMsg, streamCreatedAt: string): void;
  /** Called when messages arrive, until the next event of this consumer. */
  started(): void;
  changed(event: BusEvent): void;
}

/** The server removes a consumer that is inactive for this time, such as that of a shard that no longer exists. */
const INACTIVE_MS = 48 * 3_600_000;
/** Interval of the server's heartbeats; silence for twice as long means that the consumer is lost. */
const HEARTBEAT_MS = 2000;
const PULL_MS = 20_000;

const parseAdvisory = messageParser(
  record<{ readonly stream_seq: number; readonly deliveries: number }>({
    stream_seq: integer(0, Number.MAX_SAFE_INTEGER),
    deliveries: integer(0, Number.MAX_SAFE_INTEGER),
  }),
  { length: WIRE_LIMITS.cancelText, nesting: WIRE_LIMITS.nesting },
);

const configOf = (plan: ConsumerPlan): ConsumerConfig => ({
  durable_name: consumerName(plan.identity),
  ack_policy: AckPolicy.Explicit,
  /**
   * A new consumer starts with everything in the stream. Statuses must not be lost. Presence covers two minutes at
   * most, in order: so a message of a worker from before the start of the service is received, and a later message can
   * revoke an earlier one. Each message contains its age.
   */
  deliver_policy: DeliverPolicy.All,
  replay_policy: ReplayPolicy.Instant,
  backoff: plan.redelivery.waitsMs.map(nanos),
  max_deliver: plan.redelivery.deliveriesMax,
  max_ack_pending: plan.unacknowledgedMax,
  inactive_threshold: nanos(INACTIVE_MS),
});

/**
 * A durable consumer that is re-created whenever it is lost, alone or with its stream and the server's disk. One call
 * of `serve` per connection.
 */
export class DurableConsumer {
  readonly #plan: ConsumerPlan;
  readonly #callbacks: ConsumerCallbacks;

  constructor(plan: ConsumerPlan, callbacks: ConsumerCallbacks) {
    this.#plan = plan;
    this.#callbacks = callbacks;
  }

  get #name(): string {
    return consumerName(this.#plan.identity);
  }

  /** Consumes until the connection is closed. Subscribes immediately; throws only if that is impossible. */
  serve(nc: NatsConnection): Promise<void> {
    this.#hearAdvisories(nc);
    return this.#consumeUntilClosed(nc);
  }

  async #consumeUntilClosed(nc: NatsConnection): Promise<void> {
    const part = `consumer ${this.#name} of ${STREAMS[this.#plan.kind].name}`;
    const { repairMsMin, repairMsMax } = CONNECTION_LIMITS;
    for (let failures = 1; !isOver(nc); failures += 1) {
      let reason = 'it ended';
      try {
        const error = await this.#consumeOnce(nc, () => {
          failures = 0;
        });
        if (error instanceof Error) reason = error.message;
      } catch (error) {
        reason = reasonOf(error);
      }
      if (isOver(nc)) return;
      this.#callbacks.changed({ type: 'impaired', part, reason });
      await withDeadline(nc.closed(), backoffMs(Math.max(failures, 1), repairMsMin, repairMsMax));
    }
  }

  /** Consumes until the consumer is lost; returns the reason. */
  async #consumeOnce(nc: NatsConnection, onStarted: () => void): Promise<void | Error> {
    const { kind, pulled } = this.#plan;
    const stream = STREAMS[kind].name;
    const manager = await managerOf(nc);
    const repair = await ensureStream(manager, kind, replicasOn(nc, this.#plan.replicas));
    noteRepair(repair, (event) => this.#callbacks.changed(event));
    const info = await ensureConsumer(manager, stream, this.#plan.identity, configOf(this.#plan));
    // Requested after the consumer was created: if the stream has changed by then, the consumer was lost with the old
    // one.
    const { created } = await manager.streams.info(stream);
    const consumer = jetstream(nc).consumers.getConsumerFromInfo(info);
    const messages = await consumer.consume({
      max_messages: pulled,
      expires: PULL_MS,
      idle_heartbeat: HEARTBEAT_MS,
      abort_on_missing_resource: true,
      callback: (message) => this.#callbacks.delivered(message, created),
    });
    onStarted();
    this.#callbacks.started();
    const lost = this.#endWhenLost(nc, messages);
    return (await messages.closed()) ?? lost();
  }

  /**
   * Ends the consumption when the server is silent and does not know the consumer either, as during the election of a new
   * leader in a cluster: the client itself would wait for a whole pull before it asks again. Returns a function that
   * returns why it was ended.
   */
  #endWhenLost(nc: NatsConnection, messages: ConsumerMessages): () => Error | undefined {
    const { kind } = this.#plan;
    let lost: Error | undefined;
    const watch = async (): Promise<void> => {
      const manager = await jetstreamManager(nc, { checkAPI: false, timeout: CONNECTION_LIMITS.streamMs });
      for await (const { type } of messages.status()) {
        if (type !== 'heartbeats_missed' || lost !== undefined) continue;
        try {
          await manager.consumers.info(STREAMS[kind].name, this.#name);
        } catch (error) {
          lost = new Error(`no heartbeats: ${reasonOf(error)}`);
          await messages.close();
        }
      }
    };
    void watch();
    return () => lost;
  }

  /** Subscribes to the server's advisories about messages that reached their maximum deliveries. */
  #hearAdvisories(nc: NatsConnection): void {
    const stream = STREAMS[this.#plan.kind].name;
    nc.subscribe(`$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.${stream}.${this.#name}`, {
      callback: (error, message) => {
        // An error is a refused subscription, which the connection has reported.
        if (error !== null) return;
        const advisory = readText(message.data, parseAdvisory);
        if (!advisory.ok) return;
        const { stream_seq: streamSequence, deliveries } = advisory.value;
        this.#callbacks.changed({ type: 'max-deliveries-reached', stream, streamSequence, deliveries });
      },
    });
  }
}

const isOver = (nc: NatsConnection): boolean => nc.isClosed() || nc.isDraining();
