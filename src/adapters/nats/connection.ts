import { connect, type MsgHdrs, type NatsConnection, type ServerInfo } from '@nats-io/transport-node';
import type { BusEvent, PrepareOutcome, SendOutcome } from '../../core/ports/bus.ts';
import { accessOptions } from './access.ts';
import { backoffMs, BackoffTimer } from './backoff.ts';
import { CONNECTION_LIMITS } from './limits.ts';
import { gatherReads } from './gathered-reads.ts';
import type { InFlightLimit } from './in-flight-limit.ts';
import { PublishFrames } from './publish-frames.ts';
import { learnedServers } from './peer-address.ts';
import { writeRawFrames } from './raw-frames.ts';
import type { ServerList } from './server-address.ts';

export interface ConnectionOptions {
  /** Servers to connect to; a function is called before each try. */
  readonly servers: ServerList | (() => ServerList);
  /** Name of this connection in the server's monitoring. */
  readonly name: string;
  /** Interval of pings; the connection is closed if the third one in a row is not answered. */
  readonly pingMs?: number;
  /** Bounds of the wait before the next try; half of it is random. */
  readonly redial?: { readonly msMin: number; readonly msMax: number };
  /** Root of the inboxes that the client itself makes, for requests to JetStream. */
  readonly inboxPrefix?: string;
  /** Limits how many of the connections that share it dial at the same time. Absent: no limit. */
  readonly dialing?: InFlightLimit;
  /**
   * Called with `host:port` of servers before they are dialed, and of those that a connection has learned before it is used.
   * A connection for which it rejects is not used. Absent: nothing is done.
   */
  readonly beforeUse?: (servers: readonly string[]) => Promise<void>;
}

/** Data of a server from its INFO message, which it sends when a client connects. */
export interface ServerFacts {
  /** Chosen in its configuration; stays the same when it restarts. */
  readonly name: string;
  /** Changes when it restarts. */
  readonly id: string;
  /** False for a member of a cluster, and for a server with a JetStream domain, which leaf nodes need. */
  readonly isSingle: boolean;
}

/** Returns the facts in the INFO of a server. Its fields `cluster` and `domain` are absent or empty without them. */
export function factsOf(info: ServerInfo): ServerFacts {
  const isEmpty = (field: 'cluster' | 'domain'): boolean => {
    const value: unknown = Reflect.get(info, field);
    return value === undefined || value === '';
  };
  return { name: info.server_name, id: info.server_id, isSingle: isEmpty('cluster') && isEmpty('domain') };
}

interface ConnectionCallbacks {
  /**
   * Called when a connection is up: subscriptions are made here. They end with the connection, and are made again for
   * the next one.
   */
  sessionStarted(nc: NatsConnection): void;
  sessionEnded(): void;
  changed(event: BusEvent): void;
}

const SUBJECT = /^[^\s.*>]+(\.[^\s.*>]+)*$/;
const SUBJECT_LENGTH_MAX = 255;

/** Reports whether a message can be published to the subject: no wildcards, spaces or empty tokens. */
export const isPublishable = (subject: string): boolean =>
  subject.length <= SUBJECT_LENGTH_MAX && SUBJECT.test(subject);

/** Returns the text of a thrown value. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const encoder = new TextEncoder();

/**
 * A connection that reconnects until it is closed.
 *
 * The client's own reconnecting is not used: it buffers messages without a server and then drops them, and it measures
 * its waits by the wall clock. Here each connection is a session, and messages between sessions are refused
 * immediately.
 *
 * - States: dialing, connected (`#nc` is set), closing.
 * - Invariants: at most one connection is open; frames of a lost connection are dropped with it.
 * - Exits: `close` ends the loop of `#run` from every state.
 */
export class BusConnection {
  readonly #options: ConnectionOptions;
  readonly #callbacks: ConnectionCallbacks;
  readonly #pauses = new BackoffTimer();
  readonly #frames = new PublishFrames();
  readonly #prepared = new PublishFrames();
  /** Maximum bytes of a message, as announced by the latest server. */
  #payloadMax = Infinity;
  #nc: NatsConnection | null = null;
  /** Servers of the cluster that the last connection has learned: dialed after the configured ones. */
  #learned: readonly string[] = [];
  #isClosing = false;
  readonly #finished: Promise<void>;

  /** Starts dialing immediately; the server may not be up yet. */
  constructor(options: ConnectionOptions, callbacks: ConnectionCallbacks) {
    this.#options = options;
    this.#callbacks = callbacks;
    this.#finished = this.#run();
  }

  /** Publishes without waiting. Headers and `reply` are those of the client. */
  publish(
    subject: string,
    text: string | Uint8Array,
    options: { readonly reply?: string; readonly headers?: MsgHdrs } = {},
  ): SendOutcome {
    const nc = this.#open();
    if (nc === null) return 'disconnected';
    if (!isPublishable(subject)) return 'bad-subject';
    const payload = typeof text === 'string' ? encoder.encode(text) : text;
    if (payload.length > (nc.info?.max_payload ?? Infinity)) return 'too-large';
    this.#sendFrames();
    nc.publish(subject, payload, { ...options });
    return 'sent';
  }

  /**
   * Publishes without headers and reply, for frequent messages: all messages of one turn are sent as one piece, in
   * order. The subject must be publishable.
   */
  publishFrame(subject: string, text: string): SendOutcome {
    const nc = this.#open();
    if (nc === null) return 'disconnected';
    if (isLongerInBytes(text, nc.info?.max_payload ?? Infinity)) return 'too-large';
    const isFirst = this.#frames.bytes === 0;
    this.#frames.add(subject, text);
    if (this.#frames.bytes >= CONNECTION_LIMITS.gatheredBytes) this.#sendFrames();
    else if (isFirst) queueMicrotask(() => this.#sendFrames());
    return 'sent';
  }

  /** Buffers a message until `takePrepared`. Its maximum size is unknown before the first connection. */
  prepareFrame(subject: string, text: string): PrepareOutcome {
    if (isLongerInBytes(text, this.#payloadMax)) return 'too-large';
    this.#prepared.add(subject, text);
    return 'prepared';
  }

  /**
   * Returns a function that sends the messages prepared since the last call: after all earlier messages, and before any
   * microtask that its caller queues afterwards.
   */
  takePrepared(): () => void {
    const frames = this.#prepared.take();
    return () => {
      const nc = this.#open();
      if (nc === null) return;
      this.#sendFrames();
      writeRawFrames(nc, frames);
    };
  }

  /** Returns what the server of the current connection says about itself; null without a connection. */
  serverFacts(): ServerFacts | null {
    const info = this.#open()?.info;
    return info === undefined ? null : factsOf(info);
  }

  /** Returns null if the server answers within `timeoutMs`, otherwise why not. */
  async check(timeoutMs: number): Promise<string | null> {
    const nc = this.#nc;
    if (nc === null) return 'not connected to a server';
    this.#sendFrames();
    try {
      const isOnTime = await withDeadline(nc.flush(), timeoutMs);
      return isOnTime ? null : `no answer within ${timeoutMs} ms`;
    } catch (error) {
      return reasonOf(error);
    }
  }

  /** Sends pending messages and replaces the connection by a new one, to the present servers with their present access. */
  async redial(): Promise<void> {
    const nc = this.#open();
    if (nc === null) return;
    this.#sendFrames();
    try {
      await withDeadline(nc.drain(), CONNECTION_LIMITS.drainMs);
    } catch (error) {
      this.#callbacks.changed({ type: 'server-error', reason: `reconnecting: ${reasonOf(error)}` });
    }
    await nc.close();
  }

  /** Waits a limited time until pending messages are sent, then closes the connection. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#pauses.end();
    const nc = this.#nc;
    if (nc !== null) {
      this.#sendFrames();
      try {
        await withDeadline(nc.drain(), CONNECTION_LIMITS.drainMs);
      } catch (error) {
        this.#callbacks.changed({ type: 'server-error', reason: `leaving: ${reasonOf(error)}` });
      }
      await nc.close();
    }
    await this.#finished;
  }

  /** Returns the connection if messages can be sent on it. */
  #open(): NatsConnection | null {
    const nc = this.#nc;
    return nc === null || nc.isClosed() || nc.isDraining() ? null : nc;
  }

  /**
   * Passes the gathered frames to the client, which writes them to the socket in this turn. Frames left by a lost
   * connection are dropped.
   */
  #sendFrames(): void {
    if (this.#frames.bytes === 0) return;
    const frames = this.#frames.take();
    if (this.#nc === null || this.#nc.isClosed()) return;
    writeRawFrames(this.#nc, frames);
  }

  async #run(): Promise<void> {
    const { redial = CONNECTION_LIMITS.redial } = this.#options;
    let isFirst = true;
    let failures = 0;
    while (!this.#isClosing) {
      const nc = await this.#dial(failures === 0);
      if (nc === null) {
        failures += 1;
      } else {
        await this.#serve(nc, isFirst);
        isFirst = false;
        failures = 0;
      }
      await this.#pauses.pause(backoffMs(Math.max(failures, 1), redial.msMin, redial.msMax));
    }
  }

  async #dial(isTold: boolean): Promise<NatsConnection | null> {
    const { dialing } = this.#options;
    await dialing?.enter(0);
    try {
      return this.#isClosing ? null : await this.#dialNow(isTold);
    } finally {
      dialing?.leave(0);
    }
  }

  async #dialNow(isTold: boolean): Promise<NatsConnection | null> {
    const { name, pingMs = CONNECTION_LIMITS.pingMs, inboxPrefix, beforeUse } = this.#options;
    const { servers: source } = this.#options;
    try {
      const servers = typeof source === 'function' ? source() : source;
      const addresses = [...new Set([...servers.servers, ...this.#learned])];
      await beforeUse?.(addresses);
      const nc = await connect({
        servers: addresses,
        name,
        reconnect: false,
        timeout: CONNECTION_LIMITS.dialMs,
        pingInterval: pingMs,
        maxPingOut: CONNECTION_LIMITS.pingsOut,
        noAsyncTraces: true,
        ...(inboxPrefix === undefined ? {} : { inboxPrefix }),
        ...accessOptions(servers),
      });
      return await this.#admitted(nc);
    } catch (error) {
      if (isTold) this.#callbacks.changed({ type: 'unreachable', reason: reasonOf(error) });
      return null;
    }
  }

  /** Returns the connection when it may be used. Closes it otherwise, and throws the reason. */
  async #admitted(nc: NatsConnection): Promise<NatsConnection> {
    const { beforeUse } = this.#options;
    gatherReads(nc);
    if (beforeUse === undefined) return nc;
    try {
      await beforeUse(learnedServers(nc));
      return nc;
    } catch (error) {
      await nc.close();
      throw error;
    }
  }

  /** Servers have joined the cluster. The connection ends if it must not be used with them. */
  async #learn(nc: NatsConnection, servers: readonly string[]): Promise<void> {
    try {
      await this.#options.beforeUse?.(servers);
      this.#learned = [...new Set([...this.#learned, ...servers])].slice(-CONNECTION_LIMITS.learnedServers);
    } catch (error) {
      this.#callbacks.changed({ type: 'server-error', reason: reasonOf(error) });
      await nc.close();
    }
  }

  async #serve(nc: NatsConnection, isFirst: boolean): Promise<void> {
    if (this.#isClosing) {
      await nc.close();
      return;
    }
    this.#frames.take();
    this.#nc = nc;
    this.#payloadMax = nc.info?.max_payload ?? Infinity;
    this.#learned = membersOf(nc);
    const complaints = this.#hearComplaints(nc);
    const version = nc.info?.version ?? 'unknown';
    this.#callbacks.changed({ type: 'connected', server: nc.getServer(), version, isFirst });
    try {
      this.#callbacks.sessionStarted(nc);
    } catch (fault) {
      // Subscribing fails if the connection is lost at the same moment; any other error is a bug of the program.
      if (!nc.isClosed()) throw fault;
    }
    const error = await nc.closed();
    await complaints;
    this.#nc = null;
    this.#callbacks.sessionEnded();
    const reason = this.#isClosing
      ? 'closed'
      : error instanceof Error
        ? error.message
        : 'the server has gone';
    this.#callbacks.changed({ type: 'disconnected', reason });
  }

  async #hearComplaints(nc: NatsConnection): Promise<void> {
    for await (const status of nc.status()) {
      if (status.type === 'error')
        this.#callbacks.changed({ type: 'server-error', reason: status.error.message });
      if (status.type === 'update') void this.#learn(nc, status.added ?? []);
      if (status.type === 'staleConnection') {
        this.#callbacks.changed({ type: 'server-error', reason: 'the server does not answer pings' });
        // Otherwise the client would first wait until its output is accepted, which an unresponsive peer never does.
        void nc.close();
      }
    }
  }
}

/** Returns the servers of the cluster that a connection knows. A single server names only its own addresses: none. */
function membersOf({ info }: NatsConnection): readonly string[] {
  const isClustered = info !== undefined && !factsOf(info).isSingle;
  return isClustered ? (info.connect_urls ?? []).slice(0, CONNECTION_LIMITS.learnedServers) : [];
}

/** Counts UTF-8 bytes only for texts that are near the limit. */
const isLongerInBytes = (text: string, bytes: number): boolean =>
  text.length > bytes / 3 && Buffer.byteLength(text) > bytes;

/** Reports whether `work` ends within `ms`; throws what it throws. */
export async function withDeadline(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  // A failure after the deadline is ignored.
  work.catch(() => undefined);
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
