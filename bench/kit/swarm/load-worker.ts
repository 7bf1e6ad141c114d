import { CUSTOM_AMOUNTS } from '../bench-amounts.ts';
import { WIRE_LIMITS } from '../../../src/core/wire/limits.ts';
import { ANY_QUEUE } from '../../../src/core/wire/subjects.ts';
import type { PresenceReply } from '../../../src/core/wire/bus-messages.ts';
import { seedAccess } from '../connect-line.ts';
import type { SwarmIdentity } from './identity.ts';
import { LeaseRequestFrame } from './lease-request-frame.ts';
import { NatsSocket, type NatsListener } from './nats-socket.ts';
import { scanLeaseReply, type ScannedReply } from './scan-lease-reply.ts';
import { statusPublish } from './status-reports.ts';
import type { Reports } from './swarm-protocol.ts';
import type { Tally } from './tally.ts';

const PRESENCE = 1;
const LEASE = 2;
const ECHO = 3;
const ACKNOWLEDGEMENT = 4;

/**
 * An empty reply that arrives sooner than this means that there is no work: the worker pauses before its next request.
 */
const SHORT_HOLD_MS = 1_000;
const REST_MS = 250;

export const ECHO_SUBJECT = 'bench.echo';
const INCARNATION = '01936ad0-0000-7000-8000-000000000001';

/** Data that all workers of a swarm share. */
export interface Swarm {
  /** The workers connect to them in turn. */
  readonly busPorts: readonly number[];
  /** Beginning of the names of the workers. */
  readonly namePrefix: string;
  /** Seed of the user that sends echoes: workers may not. Null if there are no echoes. */
  readonly echoSeed: string | null;
  readonly cores: number;
  readonly tally: Tally;
  readonly sessionId: string;
  /** Used by one worker at a time, within one read. */
  readonly scanned: ScannedReply;
  /** Text after an attempt id in a report, with the current time. */
  tail: Uint8Array;
  reports: Reports;
  /** Called when a worker may request work. It requests it, or stays idle. */
  free: (worker: LoadWorker) => void;
  /** Called when a worker may send its next echo. */
  echoed: (worker: LoadWorker) => void;
  readonly failed: (error: Error) => void;
  /** Called when a worker has lost its connection; null: that is a failure. */
  readonly lost: ((worker: LoadWorker) => void) | null;
}

/** Name of the worker with this number. */
export const nameOf = (prefix: string, index: number): string => `${prefix}-${index}`;

/**
 * A worker of a swarm with its own connection. It sends the messages of a real worker: registration, heartbeats, lease
 * requests, reports. Its tasks end as soon as they are leased.
 */
export class LoadWorker {
  private readonly swarm: Swarm;
  private readonly identity: SwarmIdentity;
  private readonly name: string;
  private readonly busPort: number;
  private socket: NatsSocket | null = null;
  private echoSocket: NatsSocket | null = null;
  private frame: LeaseRequestFrame | null = null;
  private farmId = '';
  private onRegistered: (() => void) | null = null;
  private askedAt = 0;
  private asks = false;
  private echo: Uint8Array = new Uint8Array(0);
  private echoBytes = 0;
  private leased = 0;
  private ended = 0;
  /** Unconfirmed attempts whose end was sent by the stream. */
  private readonly unconfirmed = new Set<string>();
  private queued = '';
  private isStopped = false;

  constructor(index: number, swarm: Swarm, identity: SwarmIdentity) {
    this.swarm = swarm;
    this.identity = identity;
    this.name = nameOf(swarm.namePrefix, index);
    this.busPort = swarm.busPorts[index % swarm.busPorts.length] ?? 0;
  }

  /** True while the service has one of its lease requests. */
  get isAsking(): boolean {
    return this.asks;
  }

  /** Connects, or connects again. */
  async connect(): Promise<void> {
    const { busPort } = this;
    const { echoSeed, failed, lost } = this.swarm;
    const { inbox, access } = this.identity;
    const listener: NatsListener = {
      message: (subscription, data, start, end) => this.received(subscription, data, start, end),
      closed: (error) => {
        this.socket = null;
        if (this.isStopped) return;
        if (lost !== null) lost(this);
        else failed(error ?? new Error('the NATS server closed a connection of the swarm'));
      },
    };
    this.socket = await NatsSocket.open(busPort, listener, access);
    if (echoSeed !== null) {
      this.echoSocket = await NatsSocket.open(busPort, listener, seedAccess(echoSeed));
      this.echoSocket.write(`SUB ${inbox}.echo ${ECHO}\r\n`);
    }
    this.socket.write(
      `SUB ${inbox}.presence ${PRESENCE}\r\nSUB ${inbox}.lease ${LEASE}\r\nSUB ${inbox}.ack ${ACKNOWLEDGEMENT}\r\n`,
    );
  }

  /** Registers. Resolves when the service has answered. */
  register(): Promise<void> {
    const registered = new Promise<void>((resolve) => {
      this.onRegistered = resolve;
    });
    this.publish(this.identity.subjects.register, {
      v: 1,
      type: 'register',
      worker_id: this.identity.id,
      incarnation: INCARNATION,
      name: this.name,
      hostname: 'bench',
      farm: '',
      queues: [],
      cpu_count: this.swarm.cores,
      memory_mib: 1024,
      os: 'linux',
      arch: 'x86_64',
      software_version: 'bench',
      compute_location: '',
      tags: {},
      amounts: CUSTOM_AMOUNTS,
      open_attempts: [],
      reply_to: `${this.identity.inbox}.presence`,
    });
    return registered;
  }

  beat(): void {
    if (this.farmId === '' || this.socket === null) return;
    const open = [...this.unconfirmed, ...(this.frame?.ids() ?? [])].slice(0, WIRE_LIMITS.openAttempts);
    this.publish(this.identity.subjects.heartbeat, {
      v: 1,
      type: 'heartbeat',
      worker_id: this.identity.id,
      farm_id: this.farmId,
      incarnation: INCARNATION,
      open_attempts: open,
      reply_to: `${this.identity.inbox}.presence`,
    });
  }

  /** Requests work. The latency counts from `since`. */
  ask(since: number): void {
    const { frame, swarm } = this;
    if (frame === null || this.asks) return;
    this.asks = true;
    this.askedAt = since;
    swarm.tally.requests++;
    swarm.tally.requestBytes += frame.payloadBytes;
    // Reports of the stream are sent first, in the same write.
    if (this.queued === '') this.socket?.write(frame.bytes());
    else {
      this.queued += Buffer.from(frame.bytes()).toString('latin1');
      this.writeQueued();
    }
  }

  /** Prepares its echo request with a payload of n bytes. */
  prepareEcho(bytes: number): void {
    this.echoBytes = bytes;
    this.echo = Buffer.from(
      `PUB ${ECHO_SUBJECT} ${this.identity.inbox}.echo ${bytes}\r\n${'x'.repeat(bytes)}\r\n`,
      'latin1',
    );
  }

  askEcho(): void {
    this.askedAt = performance.now();
    this.swarm.tally.requests++;
    this.swarm.tally.requestBytes += this.echoBytes;
    this.echoSocket?.write(this.echo);
  }

  /** Reports its ended attempts by the stream, so that none stays open without a lease request. */
  flushReports(): void {
    const { frame } = this;
    if (frame === null || this.asks || frame.reports === 0) return;
    for (const id of frame.ids()) this.reportByStream(id, 'succeeded');
    frame.clear();
  }

  stop(): void {
    this.isStopped = true;
    this.socket?.close();
    this.echoSocket?.close();
  }

  private received(subscription: number, data: Buffer, start: number, end: number): void {
    if (subscription === LEASE) this.leaseReplied(data, start, end);
    else if (subscription === ECHO) {
      this.swarm.tally.replied(performance.now() - this.askedAt, end - start);
      this.swarm.echoed(this);
    } else if (subscription === PRESENCE) {
      this.presence(JSON.parse(data.toString('utf8', start, end)) as PresenceReply);
    }
  }

  private presence(reply: PresenceReply): void {
    if (reply.type === 'refused') this.swarm.failed(new Error(`a worker was refused: ${reply.reason}`));
    else if (reply.type === 'unknown') {
      this.swarm.failed(new Error('the service does not know a worker of the swarm any more'));
    } else if (reply.type === 'registered') {
      this.farmId = reply.farm_id;
      this.frame ??= new LeaseRequestFrame({
        workerId: this.identity.id,
        farmId: reply.farm_id,
        incarnation: INCARNATION,
        subject: this.identity.subjects.lease(ANY_QUEUE),
        inbox: `${this.identity.inbox}.lease`,
      });
      this.onRegistered?.();
      this.onRegistered = null;
    } else if (reply.type === 'alive') {
      for (const attempt of reply.closed) this.unconfirmed.delete(attempt);
    }
  }

  private leaseReplied(data: Buffer, start: number, end: number): void {
    const { swarm, frame } = this;
    const { tally, scanned } = swarm;
    scanLeaseReply(data, start, end, scanned);
    if (!scanned.isReply || scanned.isUnknown || frame === null) {
      const text = data.toString('latin1', start, Math.min(end, start + 200));
      swarm.failed(
        new Error(
          `invalid lease reply to a worker of the swarm: ${text === '' ? 'empty, no responders' : text}`,
        ),
      );
      return;
    }
    this.asks = false;
    const now = performance.now();
    const onRequest = frame.reports;
    if (onRequest > 0) {
      const confirmed = frame.settle(data, scanned, swarm.tail);
      tally.cycles += confirmed;
      tally.unconfirmed += onRequest - confirmed;
    }
    if (scanned.assigned === 0) {
      tally.emptyReplies++;
      if (now - this.askedAt < SHORT_HOLD_MS) setTimeout(() => swarm.free(this), REST_MS);
      else swarm.free(this);
      return;
    }
    tally.leases += scanned.assigned;
    tally.replied(now - this.askedAt, end - start);
    this.run(data, scanned, frame);
    swarm.free(this);
  }

  /** Its tasks have ended: their ends are sent with the next request, or by the stream. */
  private run(data: Buffer, scanned: ScannedReply, frame: LeaseRequestFrame): void {
    const { swarm } = this;
    const isPiggybacked = swarm.reports === 'ride'; // wording-ok: value of --reports
    if (isPiggybacked) {
      for (let index = 0; index < scanned.assigned; index++) {
        frame.add(
          data,
          scanned.assignedAt[2 * index] ?? 0,
          scanned.assignedAt[2 * index + 1] ?? 0,
          swarm.tail,
        );
      }
      return;
    }
    // A core is leased again only after the end of its task is committed: with c one-core tasks at a time, n leased
    // ones prove n - c ends.
    this.leased += scanned.assigned;
    const ended = Math.max(0, this.leased - swarm.cores);
    swarm.tally.cycles += ended - this.ended;
    this.ended = ended;
    for (let index = 0; index < scanned.assigned; index++) {
      const id = data.toString('latin1', scanned.assignedAt[2 * index], scanned.assignedAt[2 * index + 1]);
      this.reportByStream(id, 'running');
      this.reportByStream(id, 'succeeded');
    }
  }

  private reportByStream(attemptId: string, status: 'running' | 'succeeded'): void {
    if (status === 'succeeded') this.unconfirmed.add(attemptId);
    const { sessionId } = this.swarm;
    const { id, subjects, inbox } = this.identity;
    this.write(
      statusPublish(attemptId, status, { workerId: id, sessionId, ackInbox: `${inbox}.ack`, subjects }),
    );
  }

  private publish(subject: string, message: object): void {
    const body = JSON.stringify(message);
    this.write(`PUB ${subject} ${body.length}\r\n${body}\r\n`);
  }

  /** Messages of one turn are sent in one write, before the next lease request. */
  private write(lines: string): void {
    if (this.queued === '') queueMicrotask(() => this.writeQueued());
    this.queued += lines;
  }

  private writeQueued(): void {
    if (this.queued === '') return;
    this.socket?.write(this.queued);
    this.queued = '';
  }
}
