import type { VirtualTime } from '../../actors/kernel/virtual-time.ts';
import type { WorkerId } from '../../src/core/ids.ts';
import { STREAMS } from '../../src/core/wire/subjects.ts';
import type { Faults } from './options.ts';
import type { Random } from './random.ts';
import type { Trace } from './trace.ts';

/** Identity of the bus; it survives crashes. */
export const BUS_ID = 'the bus';

/** The connection of one end to the bus. */
export interface Link {
  readonly name: string;
  /** While set, no message passes in either direction. */
  isCut: boolean;
  /** While set, its presence messages are lost, as without their stream. Everything else passes. */
  losesPresence: boolean;
  /** The worker whose credential the connection has; null without authentication. */
  worker: WorkerId | null;
  /** Whether the bus refuses its credential. */
  isRefused: boolean;
  /** Messages published during the cut, buffered in the client. */
  readonly buffered: (() => void)[];
}

export const newLink = (name: string): Link => ({
  name,
  isCut: false,
  losesPresence: false,
  worker: null,
  isRefused: false,
  buffered: [],
});

export type StreamName = 'status' | 'presence';

interface StoredMessage {
  readonly sequence: number;
  readonly text: string;
  /** The worker whose credential published it. */
  readonly sender: WorkerId | null;
  readonly storedAt: number;
  ackedAt: number | null;
  /** Deliveries that wait for their acknowledgement until this time are not repeated. */
  waitsUntil: number;
}

type Consumer = (message: unknown, ack: () => void, sender: WorkerId | null) => void;

const ACK_WAIT_MS = 30_000;
const BASE_LATENCY_MS = 3;

/** Time after which a message is sent again that was lost in a cut. */
const RESENT_AFTER_MS = 200;

/**
 * The bus: streams with at-least-once delivery in any order, and core messages that may be lost. It outlives the
 * service. A crash loses the latest messages and acknowledgements (docs/architecture.md#the-bus).
 */
export class BusModel {
  /** Enables faults of single messages. Off in the liveness phase. */
  isFaulty = true;
  private readonly time: VirtualTime;
  private readonly random: Random;
  private readonly trace: Trace;
  private readonly faults: Faults;
  private readonly streams: Record<StreamName, StoredMessage[]> = { status: [], presence: [] };
  private readonly consumers: Record<StreamName, Consumer | null> = { status: null, presence: null };
  /** All messages that their senders may publish to the status stream, for the check of redeliveries. */
  readonly statusHistory: string[] = [];
  private nextSequence = 1;
  private isDown = false;
  /** Incremented by each crash: messages in transit are lost. */
  private epoch = 0;
  private connection = 0;
  /** The connection of the service. A cut passes nothing in either direction. */
  readonly serviceLink = newLink('service');
  /** Whether the bus has the subscriptions of the service. */
  private hasService = false;
  private subscription = 0;
  private readonly isCluster: boolean;

  constructor(time: VirtualTime, random: Random, trace: Trace, faults: Faults, isCluster: boolean) {
    this.isCluster = isCluster;
    this.time = time;
    this.random = random;
    this.trace = trace;
    this.faults = faults;
  }

  get isUp(): boolean {
    return !this.isDown;
  }

  /**
   * Publishes to a stream. The message may be lost. A client without connection buffers or loses it. `onStored` is
   * called for each stored copy.
   */
  publish(link: Link, stream: StreamName, message: object, onStored: () => void = () => undefined): void {
    if (link.isRefused || (link.losesPresence && stream === 'presence')) return;
    const text = JSON.stringify(message);
    const loss = stream === 'status' ? this.faults.reportLoss : this.faults.drop / 2;
    if (this.isFaulty && this.random.chance(loss)) return;
    const copies = this.isFaulty && this.random.chance(this.faults.double) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) this.send(link, stream, text, onStored);
  }

  /**
   * Sends a core message: delivered once, twice or never. `deliver` gets its own copy. A link is null for an end on the
   * bus's machine.
   */
  core(from: Link | null, to: Link | null, message: object, deliver: (message: unknown) => void): void {
    if (from?.isCut === true || this.isDown) return;
    const text = JSON.stringify(message);
    const { epoch } = this;
    const copies = this.isFaulty && this.random.chance(this.faults.double / 4) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      if (this.isFaulty && this.random.chance(this.faults.drop)) continue;
      const isLate = this.isFaulty && this.random.chance(this.faults.late);
      this.time.after(this.latency() + (isLate ? this.random.between(0, this.faults.lateMs) : 0), () => {
        if (epoch !== this.epoch) return;
        const hand = (): void => {
          deliver(JSON.parse(text));
        };
        if (to?.isRefused === true) return;
        if (to?.isCut !== true) hand();
        else if (this.random.chance(0.5)) to.buffered.push(hand);
      });
    }
  }

  /** Reports whether the service is connected, as the bus sees it. */
  get isServiceConnected(): boolean {
    return this.hasService;
  }

  /** Subscribes the service. `onConfirmed` is called once the bus has processed it, unless the connection is lost. */
  subscribe(onConfirmed: () => void): void {
    const subscription = ++this.subscription;
    const isCurrent = (): boolean =>
      subscription === this.subscription && !this.isDown && !this.serviceLink.isCut;
    this.time.after(this.random.between(0, this.faults.subscribeMs), () => {
      if (!isCurrent()) return;
      this.hasService = true;
      const confirm = (): void => {
        if (subscription !== this.subscription || this.isDown || !this.hasService) return;
        // The connection survives a short cut: the confirmation arrives after it.
        if (this.serviceLink.isCut) this.time.after(RESENT_AFTER_MS, confirm);
        else onConfirmed();
      };
      this.time.after(this.latency(), confirm);
    });
  }

  /** The bus closes the connection of the service, which may not notice. */
  dropService(): void {
    this.hasService = false;
    this.subscription++;
    this.disconnect();
  }

  /** A worker asks whether the service is connected. Answered only if it is not. */
  probe(link: Link, onAbsent: () => void): void {
    if (link.isCut && this.isCluster && !this.isDown) {
      // Another member of the cluster than that of the service replies.
      this.time.after(this.latency(), onAbsent);
      return;
    }
    this.core(link, null, {}, () => {
      if (!this.hasService) this.core(null, link, {}, onAbsent);
    });
  }

  /** A worker asks whether the bus is there. */
  ping(link: Link, onAnswer: () => void): void {
    this.core(link, null, {}, () => {
      this.core(null, link, {}, onAnswer);
    });
  }

  /** A round trip of the service on its connection. */
  roundTrip(onAnswer: () => void): void {
    const { subscription } = this;
    const isConnected = (): boolean =>
      this.hasService && subscription === this.subscription && !this.isDown && !this.serviceLink.isCut;
    if (!isConnected()) return;
    this.time.after(this.latency(), () => {
      if (!isConnected()) return;
      this.time.after(this.latency(), () => {
        if (!this.serviceLink.isCut) onAnswer();
      });
    });
  }

  /** Connects the consumers of the service. Unacknowledged messages are redelivered. */
  connect(consumers: Record<StreamName, Consumer>): void {
    this.disconnect();
    this.consumers.status = consumers.status;
    this.consumers.presence = consumers.presence;
    this.deliverAll();
  }

  disconnect(): void {
    this.connection++;
    this.consumers.status = null;
    this.consumers.presence = null;
  }

  /** Crashes the bus for `downMs`. The latest messages and those in transit are lost. `onUp` is called when it is back. */
  crash(lossMs: number, downMs: number, onUp: () => void): void {
    this.epoch++;
    this.isDown = true;
    this.dropService();
    const since = this.time.now - lossMs;
    for (const stream of ['status', 'presence'] as const) {
      const messages = this.streams[stream];
      const kept = lossMs === 0 ? messages : messages.filter((message) => message.storedAt < since);
      for (const message of kept) {
        if (message.ackedAt !== null && message.ackedAt >= since) message.ackedAt = null;
        message.waitsUntil = 0;
      }
      this.streams[stream] = kept;
    }
    this.time.after(downMs, () => {
      this.isDown = false;
      this.trace.note('bus up');
      this.deliverAll();
      onUp();
    });
  }

  /** Restores a link: buffered messages are sent in order. */
  mend(link: Link): void {
    link.isCut = false;
    for (const send of link.buffered.splice(0)) send();
  }

  private send(link: Link, stream: StreamName, text: string, onStored: () => void): void {
    if (link.isCut || this.isDown) {
      if (this.random.chance(0.5)) return;
      if (link.isCut) link.buffered.push(() => this.send(link, stream, text, onStored));
      else this.time.after(1_000, () => this.send(link, stream, text, onStored));
      return;
    }
    const { epoch } = this;
    this.time.after(this.latency(), () => {
      if (epoch !== this.epoch) return;
      this.store(stream, text, link.worker);
      onStored();
    });
  }

  private store(stream: StreamName, text: string, sender: WorkerId | null): void {
    const sequence = this.nextSequence++;
    const message = { sequence, text, sender, storedAt: this.time.now, ackedAt: null, waitsUntil: 0 };
    this.streams[stream].push(message);
    if (stream === 'status' && (sender === null || workerIn(text) === sender)) this.statusHistory.push(text);
    this.deliver(stream, message);
  }

  private deliverAll(): void {
    for (const stream of ['status', 'presence'] as const) {
      this.streams[stream] = this.streams[stream].filter(
        (message) => message.ackedAt === null || this.isFresh(message),
      );
      for (const message of this.streams[stream]) {
        const wait = message.waitsUntil - this.time.now;
        if (wait <= 0) this.deliver(stream, message);
        else this.redeliverLater(stream, message, wait);
      }
    }
  }

  private isFresh(message: StoredMessage): boolean {
    return message.ackedAt !== null && this.time.now - message.ackedAt < this.faults.busLossMs;
  }

  private deliver(stream: StreamName, message: StoredMessage): void {
    if (message.ackedAt !== null || this.isDown) return;
    if (this.serviceLink.isCut) {
      this.redeliverLater(stream, message, ACK_WAIT_MS);
      return;
    }
    if (this.time.now - message.storedAt > STREAMS[stream].retentionMs) return;
    const { connection, epoch } = this;
    if (this.consumers[stream] === null) return;
    message.waitsUntil = this.time.now + ACK_WAIT_MS;
    this.time.after(this.latency(), () => {
      if (connection !== this.connection || epoch !== this.epoch || this.serviceLink.isCut) return;
      const acknowledge = (): void => {
        this.acknowledge(message, epoch);
      };
      this.consumers[stream]?.(JSON.parse(message.text), acknowledge, message.sender);
    });
    this.redeliverLater(stream, message, ACK_WAIT_MS);
  }

  private redeliverLater(stream: StreamName, message: StoredMessage, delayMs: number): void {
    const { connection, epoch } = this;
    this.time.after(delayMs, () => {
      if (connection === this.connection && epoch === this.epoch) this.deliver(stream, message);
    });
  }

  private acknowledge(message: StoredMessage, epoch: number): void {
    if (epoch !== this.epoch) return;
    if (this.isFaulty && this.random.chance(this.faults.ackLoss)) return;
    message.ackedAt = this.time.now;
  }

  private latency(): number {
    const base = this.random.between(0, BASE_LATENCY_MS);
    if (!this.isFaulty || !this.random.chance(this.faults.delay)) return base;
    return base + this.random.between(0, this.faults.delayMs);
  }
}

const workerIn = (text: string): unknown => (JSON.parse(text) as { worker_id?: unknown }).worker_id;
