import type { NatsConnection } from '@nats-io/transport-node';
import type { HeardFacts, NodeFacts } from '../../core/cluster/peer-facts.ts';
import { finite, integer, literal, messageParser, record, text } from '../../core/wire/field-readers.ts';
import { WIRE_LIMITS } from '../../core/wire/limits.ts';
import { BusConnection } from './connection.ts';
import { CLUSTER_LIMITS } from './limits.ts';
import { clusterNames } from './log/cluster-names.ts';
import { readText } from './message-text.ts';
import type { ServerList } from './server-address.ts';

interface FactsMessage {
  readonly v: 1;
  readonly node: string;
  readonly instance: string;
  readonly version: string;
  readonly record_format: number;
  readonly state_format: number;
  readonly time_ms: number;
}

const FORMAT_MAX = 65_535;
const parseFacts = messageParser(
  record<FactsMessage>({
    v: literal(1),
    node: text(WIRE_LIMITS.name, 1),
    instance: text(WIRE_LIMITS.name, 1),
    version: text(WIRE_LIMITS.name, 1),
    record_format: integer(0, FORMAT_MAX),
    state_format: integer(0, FORMAT_MAX),
    time_ms: finite,
  }),
  { length: WIRE_LIMITS.statusText, nesting: 2 },
);

interface NodeFactsOptions {
  /** Access to the account of the streams. */
  readonly servers: ServerList;
  readonly cluster: string;
  /** Everything but the time. */
  readonly own: Omit<NodeFacts, 'timeMs'>;
}

/** Answers other nodes of the cluster that ask for facts, and asks them. Reconnects until it is closed. */
export class NodeFactsExchange {
  readonly #options: NodeFactsOptions;
  readonly #subject: string;
  readonly #connection: BusConnection;
  #connected: (nc: NatsConnection) => void = () => undefined;
  #session: Promise<NatsConnection>;

  constructor(options: NodeFactsOptions, warned: (text: string) => void) {
    this.#options = options;
    this.#subject = clusterNames(options.cluster).facts;
    this.#session = this.#nextSession();
    const { servers, own } = options;
    this.#connection = new BusConnection(
      { servers, name: `callsheet facts of ${own.node}` },
      {
        sessionStarted: (nc) => {
          nc.subscribe(this.#subject, {
            callback: (error, message) => {
              if (error === null) message.respond(this.#ownFacts());
            },
          });
          this.#connected(nc);
        },
        sessionEnded: () => {
          this.#session = this.#nextSession();
        },
        changed: (event) => {
          if (event.type === 'server-error') warned(`facts of other nodes: ${event.reason}`);
        },
      },
    );
  }

  /** Returns the facts of the other nodes that answer within a second. Waits until there is a connection. */
  async ask(): Promise<readonly HeardFacts[]> {
    const nc = await this.#session;
    const heard = new Map<string, HeardFacts>();
    const askedMs = Date.now();
    const answers = await nc.requestMany(this.#subject, '', {
      strategy: 'timer',
      maxWait: CLUSTER_LIMITS.answersMs,
    });
    for await (const { data } of answers) {
      const receivedMs = Date.now();
      const read = readText(data, parseFacts);
      // A node of a later version may have other facts: it checks whether it can work with this one.
      if (!read.ok || read.value.instance === this.#options.own.instance) continue;
      const { node, instance, version, record_format, state_format, time_ms } = read.value;
      const facts = {
        node,
        instance,
        version,
        recordFormat: record_format,
        stateFormat: state_format,
        timeMs: time_ms,
      };
      heard.set(instance, { facts, askedMs, receivedMs });
    }
    return [...heard.values()];
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #nextSession(): Promise<NatsConnection> {
    return new Promise((resolve) => {
      this.#connected = resolve;
    });
  }

  #ownFacts(): string {
    const { node, instance, version, recordFormat, stateFormat } = this.#options.own;
    const message: FactsMessage = {
      v: 1,
      node,
      instance,
      version,
      record_format: recordFormat,
      state_format: stateFormat,
      time_ms: Date.now(),
    };
    return JSON.stringify(message);
  }
}
