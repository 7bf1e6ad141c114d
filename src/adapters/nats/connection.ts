import { connect, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import type { BusEvent, PrepareOutcome, SendOutcome } from '../../core/ports/bus.ts';
import { backoffMs, BackoffTimer } from './backoff.ts';
import { CONNECTION_LIMITS } from './limits.ts';
import { PublishFrames } from './publish-frames.ts';
import { writeRawFrames } from './raw-frames.ts';
import type { ServerList } from './server-address.ts';

export interface ConnectionOptions {
  /** Where to dial; a function is asked before each try. */
  readonly servers: ServerList | (() => ServerList);
  /** What the server shows of this connection. */
  readonly name: string;
  /** How often the server is asked whether it is there; a connection is given up at the third time without an answer. */
  readonly pingMs?: number;
  /** Bounds of the wait before the next dial; half of it is left to chance. */
  readonly redial?: { readonly msMin: number; readonly msMax: number };
}

interface ConnectionCallbacks {
  /** A connection is up: the place to subscribe. All of it ends with the connection and is made again with the next. */
  sessionStarted(nc: NatsConnection): void;
  sessionEnded(): void;
  changed(event: BusEvent): void;
}

const SUBJECT = /^[^\s.*>]+(\.[^\s.*>]+)*$/;
const SUBJECT_LENGTH_MAX = 255;

/** Whether a message can be published to the subject: no wildcards, spaces or empty tokens. */
export const isPublishable = (subject: string): boolean =>
  subject.length <= SUBJECT_LENGTH_MAX && SUBJECT.test(subject);

/** The text of whatever was thrown. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const encoder = new TextEncoder();

/**
 * A connection that is dialled again for ever. The client's own reconnecting is not used: it keeps what is published
 * while there is no server and then drops it, and it counts its waits by the wall clock. Here a connection is one session; what is said
 * between sessions is refused to the caller's face.
 */
export class BusConnection {
  readonly #options: ConnectionOptions;
  readonly #callbacks: ConnectionCallbacks;
  readonly #pauses = new BackoffTimer();
  readonly #frames = new PublishFrames();
  readonly #prepared = new PublishFrames();
  /** The most bytes of a message, as the last server has said. */
  #payloadMax = Infinity;
  #nc: NatsConnection | null = null;
  #isClosing = false;
  readonly #finished: Promise<void>;

  /** Starts dialling at once; the server need not be there yet. */
  constructor(options: ConnectionOptions, callbacks: ConnectionCallbacks) {
    this.#options = options;
    this.#callbacks = callbacks;
    this.#finished = this.#run();
  }

  /** Publishes without waiting for anything. Headers and `reply` are the client's. */
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
   * The same without headers and reply, for what is said often: all that is said in one turn leaves as one piece, in order. The subject must be
   * publishable.
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

  /** Writes a message that leaves later, with `takePrepared`. Before the first connection nobody knows how long it may be. */
  prepareFrame(subject: string, text: string): PrepareOutcome {
    if (isLongerInBytes(text, this.#payloadMax)) return 'too-large';
    this.#prepared.add(subject, text);
    return 'prepared';
  }

  /**
   * Gives what sends the messages prepared since the last call: behind all that was said before, and before what callers do in a
   * microtask of theirs.
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

  /** Null when the server answers within `timeoutMs`, otherwise why not. */
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

  /** Lets what is on its way arrive, for a while, then leaves. */
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

  /** The connection, when something can be said on it. */
  #open(): NatsConnection | null {
    const nc = this.#nc;
    return nc === null || nc.isClosed() || nc.isDraining() ? null : nc;
  }

  /** Hands what was gathered to the client, which writes it to the socket in this turn. What a lost connection leaves behind is lost with it. */
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
    const { name, pingMs = CONNECTION_LIMITS.pingMs } = this.#options;
    const { servers: source } = this.#options;
    const servers = typeof source === 'function' ? source() : source;
    try {
      return await connect({
        servers: [...servers.servers],
        name,
        reconnect: false,
        timeout: CONNECTION_LIMITS.dialMs,
        pingInterval: pingMs,
        maxPingOut: CONNECTION_LIMITS.pingsOut,
        noAsyncTraces: true,
        ...(servers.isTls ? { tls: {} } : {}),
        ...(servers.user !== undefined ? { user: servers.user } : {}),
        ...(servers.password !== undefined ? { pass: servers.password } : {}),
        ...(servers.token !== undefined ? { token: servers.token } : {}),
      });
    } catch (error) {
      if (isTold) this.#callbacks.changed({ type: 'unreachable', reason: reasonOf(error) });
      return null;
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
    const complaints = this.#hearComplaints(nc);
    const version = nc.info?.version ?? 'unknown';
    this.#callbacks.changed({ type: 'connected', server: nc.getServer(), version, isFirst });
    try {
      this.#callbacks.sessionStarted(nc);
    } catch (fault) {
      // Subscribing fails on a connection that was lost in the same moment; anything else is a fault of the program.
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
      if (status.type === 'staleConnection') {
        this.#callbacks.changed({ type: 'server-error', reason: 'the server does not answer pings' });
        // Left to itself the client first waits until all it has written is taken, which a dead peer never does.
        void nc.close();
      }
    }
  }
}

/** Of UTF-8. Hardly any text has to be counted. */
const isLongerInBytes = (text: string, bytes: number): boolean =>
  text.length > bytes / 3 && Buffer.byteLength(text) > bytes;

/** Whether `work` is done within `ms`; throws what it throws. */
export async function withDeadline(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  // A failure after the deadline concerns nobody any more.
  work.catch(() => undefined);
  try {
    return await Promise.race([work.then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
