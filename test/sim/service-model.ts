import { type LocalTallies } from '../../src/adapters/memory/local-tallies.ts';
import { createMemoryStore, type MemoryStore } from '../../src/adapters/memory/memory-store.ts';
import type { AnyDefinition } from '../../actors/kernel/actor.ts';
import { replyTo, type ReplyTo } from '../../actors/kernel/address.ts';
import { SimulationHost } from '../../actors/kernel/simulation-host.ts';
import type { VirtualTime } from '../../actors/kernel/virtual-time.ts';
import type { ServiceEnvelope } from '../../actors/service/service-messages.ts';
import type { ServiceSystem } from '../../actors/service/service-system.ts';
import { recoverActors } from '../../actors/service/recover-actors.ts';
import {
  leaseReply,
  presenceReply,
  replyTargetOf,
  typedAnswer,
} from '../../actors/service/gateway/reply-address.ts';
import { PoisonedReports, acceptReports } from '../../actors/service/gateway/accept-reports.ts';
import { farmId, parseTaskId, workerId, type QueueId, type WorkerId } from '../../src/core/ids.ts';
import {
  presenceFault,
  senderFault,
  statusFault,
  type SubjectFault,
} from '../../src/core/wire/sender-check.ts';
import { parseWorkerSubject, scopedSubjects, type WorkerSubjects } from '../../src/core/wire/subjects.ts';
import type { BusCredentials } from './bus-credentials.ts';
import type { CommitCallbacks, StoreReader } from '../../src/core/ports/store.ts';
import type { Tallies } from '../../src/core/ports/tallies.ts';
import type { Change } from '../../src/core/records/change-set.ts';
import type {
  CancelMessage,
  LeaseReply,
  LeaseRequest,
  PresenceMessage,
  StatusMessage,
} from '../../src/core/wire/bus-messages.ts';
import type { DomainEvent } from '../../src/core/wire/events.ts';
import { parseAttemptId, taskIdOf } from '../../src/core/ids.ts';
import type { BusModel, Link } from './bus-model.ts';
import type { Faults } from './options.ts';
import type { Random } from './random.ts';
import type { Trace } from './trace.ts';
import { Violation } from './violation.ts';
import type { Output } from '../../actors/kernel/output.ts';

/** The service as machines see it: reply addresses, and the receiver of lease requests. */
export interface ServiceEndpoint {
  /** Reports whether any process receives lease requests. */
  readonly isServing: boolean;
  openInbox(address: string, link: Link, deliver: (reply: unknown) => void): void;
  closeInbox(address: string): void;
  onLeaseRequest(queue: string, message: unknown, inbox: string, sender: WorkerId | null): void;
}

/** Observer of the service: receives all events that the checks need. */
export interface ServiceWatcher {
  /** The process has started with empty memory. */
  started(): void;
  pumped(): void;
  event(event: DomainEvent): void;
  /** Everything that was not durable is lost. */
  crashed(): void;
}

type CommitPort = (changes: readonly Change[], onCommit: CommitCallbacks) => void;

export interface ServiceBuild {
  /** Created for every process: no state outlives it. */
  readonly definitions: () => readonly AnyDefinition<ServiceSystem>[];
  readonly tallies: LocalTallies;
  /** Wraps the store for the kernel. Identity in a correct build. */
  readonly commit: (commit: CommitPort) => CommitPort;
  /** Confirms piggybacked ends on arrival of the lease request; false except in a mutant. */
  readonly confirmsAtOnce: boolean;
  /** Flushes all outputs as soon as they are durable; false except in a mutant. */
  readonly answersUnread: boolean;
  /** Counts silence from the start of the connection instead of the confirmed subscription; false except in a mutant. */
  readonly livesBeforeSubscribed: boolean;
  /** Counts silence while it knows that it is not connected, and continues the count after that; false except in a mutant. */
  readonly ignoresDisconnects: boolean;
  /** Confirms the connection to the bus without a round trip; false except in a mutant. */
  readonly confirmsBlindly: boolean;
  /** Evicts evictable actors as soon as their changes are durable; false in a correct build. */
  readonly dropsUnread: boolean;
  /** Believes what a message says about its sender; false except in a mutant. */
  readonly believesSenders: boolean;
}

export interface ServiceEnvironment {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly trace: Trace;
  readonly bus: BusModel;
  readonly faults: Faults;
  readonly build: ServiceBuild;
  /** Null on a bus without authentication. */
  readonly credentials: BusCredentials | null;
  wallClock(): number;
  newId(): string;
}

/** The disk has refused a read. */
class ReadError extends Error {
  override readonly name = 'ReadError';
}

const SHARD = 0;
const NO_TASKS: LeaseReply = { v: 1, type: 'leases', assignments: [], steps: {} };
/** Prefix of the reply addresses of clients. */
const CLIENT = 'client:';
/**
 * Outputs that are flushed when durable: replies to workers and messages only for them, as in
 * actors/service/gateway/prepare-flush.ts.
 */
const needsNoReader = (output: Output<ServiceSystem>): boolean =>
  output.kind === 'reply'
    ? typeof output.to !== 'string' && replyTargetOf(output.to).kind !== 'main-thread'
    : output.effect.kind === 'cancel' || output.effect.kind === 'release';

/** Longest time from the end of a process to its restart by the machine. */
const RESTART_MS_MAX = 3_000;
/** Time until the bus closes the connection of a service that does not run. Real servers may take longer. */
const PINGS_MS_MIN = 6_000;
const PINGS_MS_MAX = 12_000;
/** Longest time until the service notices a connection that the bus has closed, once it runs and is connected. */
const NOTICE_MS_MAX = 500;
const PUMP_MS_MAX = 2;
const FRONT_MS_MAX = 3;

/**
 * The process of the service: a kernel with its actors on a store with delayed durability. It can crash at any moment
 * and restarts from the durable rows.
 */
export class ServiceModel implements ServiceEndpoint {
  readonly store: MemoryStore = createMemoryStore();
  watcher: ServiceWatcher | null = null;
  /** Sends to every machine, like a bus message. */
  onCancel: ((message: CancelMessage) => void) | null = null;
  /** Called for log records of the actors. */
  onLog: ((text: string) => void) | null = null;
  /** Called for each message whose sender may not send it. */
  onRefused: (() => void) | null = null;
  /** Called for each failed read of the store. */
  onReadError: (() => void) | null = null;
  private readonly env: ServiceEnvironment;
  private readonly inboxes = new Map<
    string,
    { readonly link: Link; readonly deliver: (reply: unknown) => void }
  >();
  private readonly clients = new Map<ReplyTo<never>, (answer: unknown) => void>();
  private readonly forwards: (() => void)[] = [];
  /** Outputs of the readable stage in a build that evicts actors before their changes are readable. */
  private unread: Output<ServiceSystem>[] = [];
  private readonly rides = new PoisonedReports();
  private running: SimulationHost<ServiceSystem> | null = null;
  /** The process that was connected last. */
  private connectedHost: SimulationHost<ServiceSystem> | null = null;
  private sequence = 0;
  private requests = 0;

  constructor(env: ServiceEnvironment) {
    this.env = env;
  }

  /** Store from which the kernel loads actors. */
  private readonly reader: StoreReader = {
    get: (table, key) => {
      this.mayFail(`${table} ${key}`);
      return this.store.get(table, key);
    },
    scan: (table, options) => {
      this.mayFail(table);
      return this.store.scan(table, options);
    },
  };

  private mayFail(what: string): void {
    const { faults, bus, random, trace } = this.env;
    if (faults.readErrors === 0 || !bus.isFaulty || !random.chance(faults.readErrors)) return;
    trace.note('read error', what);
    this.onReadError?.();
    throw new ReadError(what);
  }

  get tallies(): Tallies {
    return this.env.build.tallies;
  }

  get isServing(): boolean {
    return this.running !== null && this.env.bus.isServiceConnected;
  }

  get host(): SimulationHost<ServiceSystem> | null {
    return this.running;
  }

  start(): void {
    if (this.running !== null) return;
    const { time, random, trace, build, bus } = this.env;
    trace.note('service start');
    this.sequence = 0;
    build.tallies.restart(this.store);
    build.tallies.onFreed = (id, slot) => {
      this.running?.post({ actor: 'lease', id, message: { type: 'capacity.freed', slot } });
    };
    const commit = build.commit((changes, onCommit) => {
      this.commit(changes, onCommit);
    });
    const host = new SimulationHost<ServiceSystem>(
      build.definitions(),
      {
        reader: this.reader,
        newId: () => this.env.newId(),
        commit: (changes, onCommit) => {
          commit(changes, onCommit);
        },
        prepareFlush: (outputs) => {
          const isSoon = (output: Output<ServiceSystem>): boolean =>
            build.answersUnread || needsNoReader(output);
          const soon = outputs.filter(isSoon);
          const later = outputs.filter((output) => !isSoon(output));
          return {
            onDurable: () => {
              if (!host.isStopped) this.release(soon);
            },
            onReadable: () => {
              if (host.isStopped) return;
              if (this.store.unread === 0) this.release(later);
              else this.unread.push(...later);
            },
          };
        },
        log: (level, text, attributes) => {
          // The process has already ended: discards the rest of its last turn.
          if (host.isStopped) return;
          this.onLog?.(text);
          trace.note('log', level, text, attributes['attempt_id'] ?? attributes['worker_id'] ?? '');
          if (attributes['error'] !== undefined)
            throw new Violation('no handler throws', `${text}\n${attributes['error']}`);
        },
        fatal: (error) => {
          if (error instanceof ReadError) {
            this.failStop(host);
            return;
          }
          throw new Violation(
            'state can be loaded',
            error instanceof Error ? (error.stack ?? '') : String(error),
          );
        },
      },
      {
        time,
        wallClock: () => this.env.wallClock(),
        pumpDelay: () => random.between(0, PUMP_MS_MAX),
        pumped: () => {
          if (!host.isStopped) this.watcher?.pumped();
        },
      },
    );
    this.running = host;
    if (!build.ignoresDisconnects) host.kernel.suspendLiveness();
    this.watcher?.started();
    for (const envelope of recoverActors(this.store, () => true, true)) host.post(envelope);
    if (bus.isUp) this.connectBus();
  }

  /** Called after the start and when the bus returns. Silence counts from the confirmed subscription. */
  connectBus(): void {
    const host = this.running;
    const { bus, build } = this.env;
    if (host === null || bus.serviceLink.isCut) return;
    if (build.livesBeforeSubscribed) host.kernel.resumeLiveness();
    bus.subscribe(() => {
      if (this.running !== host) return;
      const isIgnored = build.ignoresDisconnects && this.connectedHost === host;
      this.connectedHost = host;
      if (!build.livesBeforeSubscribed && !isIgnored) host.kernel.resumeLiveness();
      bus.connect({
        status: (message, ack, sender) => {
          const report = message as StatusMessage;
          const job = parseTaskId(report.task_id)?.jobId;
          const fault = this.faultOf(sender, (subjects) =>
            job === undefined ? null : statusFault(subjects.status(job), report, true),
          );
          if (fault === null) this.onStatus(report, ack);
          else this.discard(fault, ack);
        },
        presence: (message, ack, sender) => {
          const presence = message as PresenceMessage;
          const fault = this.faultOf(sender, (subjects) =>
            presenceFault(subjects[presence.type], presence, true),
          );
          if (fault === null) this.onPresence(presence, ack);
          else this.discard(fault, ack);
        },
      });
    });
  }

  /** The service notices that its connection is lost. */
  disconnected(): void {
    if (!this.env.build.ignoresDisconnects) this.running?.kernel.suspendLiveness();
  }

  /** Stops the process from running. The bus closes its connection when pings are not answered. */
  stall(forMs: number): void {
    const host = this.running;
    if (host === null) return;
    const { time, random, bus } = this.env;
    host.stall(forMs);
    const pingsMs = random.between(PINGS_MS_MIN, PINGS_MS_MAX);
    if (pingsMs >= forMs) return;
    time.after(pingsMs, () => {
      if (this.running === host) bus.dropService();
    });
    time.after(forMs + random.between(0, NOTICE_MS_MAX), () => {
      if (this.running === host) this.reconnect();
    });
  }

  /** Cuts the connection to the bus. Each end notices within these times, or when the cut ends. */
  cut(forMs: number, busNoticesMs = PINGS_MS_MAX, serviceNoticesMs = PINGS_MS_MAX): void {
    const host = this.running;
    const { time, random, bus, trace } = this.env;
    const link = bus.serviceLink;
    if (host === null || link.isCut || !bus.isUp) return;
    trace.note('service cut off', forMs);
    link.isCut = true;
    // Not `link.isCut`: that may be a later cut.
    let isCut = true;
    const isOn = (): boolean => isCut && this.running === host;
    let isLost = false;
    time.after(random.between(0, busNoticesMs), () => {
      if (!isOn()) return;
      isLost = true;
      bus.dropService();
    });
    time.after(random.between(0, serviceNoticesMs), () => {
      if (!isOn()) return;
      isLost = true;
      this.disconnected();
    });
    time.after(forMs, () => {
      isCut = false;
      link.isCut = false;
      trace.note('service link restored');
      if (this.running !== host) {
        this.connectBus();
        return;
      }
      // A subscription in progress is lost, too.
      const isOver = isLost || !bus.isServiceConnected;
      time.after(isOver ? random.between(0, NOTICE_MS_MAX) : 0, () => {
        if (this.running === host && isOver) this.reconnect();
      });
    });
  }

  private reconnect(): void {
    this.disconnected();
    this.env.bus.dropService();
    if (this.env.bus.isUp) this.connectBus();
  }

  /** Ends the process as by kill -9. Some commits in progress become durable anyway. */
  crash(): void {
    const host = this.running;
    if (host === null) return;
    const { random, trace, bus } = this.env;
    trace.note('service crash', this.store.waiting);
    host.stop();
    this.running = null;
    bus.dropService();
    const reached = random.between(0, this.store.waiting);
    for (let each = 0; each < reached; each++) this.store.flushNext();
    this.store.crash();
    this.clients.clear();
    this.unread = [];
    this.watcher?.crashed();
  }

  /** Sends a client request. `onAnswer` is never called if the service crashes first. */
  request<Answer>(
    envelopeFor: (to: ReplyTo<Answer>) => ServiceEnvelope,
    onAnswer: (answer: Answer) => void,
  ): void {
    const host = this.running;
    if (host === null) return;
    const to = replyTo<Answer>(`${CLIENT}${this.requests++}`);
    // The actor's context checks the answer against the address.
    this.clients.set(to, onAnswer as (answer: unknown) => void);
    const envelope = envelopeFor(to);
    this.env.trace.note('request', envelope.message.type);
    host.post(envelope);
  }

  openInbox(address: string, link: Link, deliver: (reply: unknown) => void): void {
    this.inboxes.set(address, { link, deliver });
  }

  closeInbox(address: string): void {
    this.inboxes.delete(address);
  }

  /** Returns why a message is not of the sender that the bus knows, or null. */
  private faultOf(
    sender: WorkerId | null,
    check: (subjects: WorkerSubjects) => SubjectFault | null,
  ): SubjectFault | null {
    const { build, credentials } = this.env;
    if (credentials === null || build.believesSenders) return null;
    return sender === null ? { kind: 'refused', reason: 'no-worker' } : check(scopedSubjects(sender));
  }

  private discard({ reason }: SubjectFault, ack: () => void): void {
    this.env.trace.note('message refused', reason);
    this.onRefused?.();
    ack();
  }

  onLeaseRequest(queue: string, message: unknown, inbox: string, sender: WorkerId | null): void {
    const request = message as LeaseRequest;
    const { trace, bus, build } = this.env;
    const fault = this.faultOf(sender, (subjects) => {
      const parsed = parseWorkerSubject('lease', subjects.lease(queue as QueueId));
      const reason = parsed === null ? null : senderFault(parsed, request.worker_id, inbox, true);
      return reason === null ? null : { kind: 'refused', reason };
    });
    if (fault !== null) {
      this.discard(fault, () => undefined);
      return;
    }
    trace.note('lease request', request.worker_id, queue);
    const { worker_id: worker, reports = [] } = request;
    const envelopes: ServiceEnvelope[] = [];
    const attempts = acceptReports(
      { workerId: worker, reports, confirmation: { kind: 'lease-reply', inbox } },
      { ownsJob: () => true, post: (envelope) => envelopes.push(envelope) },
    );
    for (const report of reports) {
      const attempt = parseAttemptId(report.attempt_id);
      if (attempt === null) throw new Error(`the worker model reported on ${report.attempt_id}`);
      trace.note('piggyback', report.attempt_id, report.status);
      // The report may also arrive by the stream at any time.
      const said: StatusMessage = {
        v: 1,
        task_id: taskIdOf(attempt),
        worker_id: request.worker_id,
        ...report,
      };
      bus.statusHistory.push(JSON.stringify(said));
    }
    const to = leaseReply(inbox, attempts, { askedAt: 0, state: 'asked' });
    if (build.confirmsAtOnce && attempts.length > 0) this.reply(to, NO_TASKS);
    for (const envelope of envelopes) this.running?.post(envelope);
    this.running?.post({
      actor: 'lease',
      id: request.farm_id,
      message: {
        type: 'lease.requested',
        workerId: workerId(request.worker_id),
        farmId: farmId(request.farm_id),
        incarnation: request.incarnation,
        queue: queue as QueueId,
        replyTo: to,
      },
    });
  }

  /** Delivers a status message like the bus. */
  onStatus(report: StatusMessage, ack: () => void): void {
    const accepted = acceptReports(
      {
        workerId: report.worker_id,
        reports: [report],
        confirmation: { kind: 'acknowledge', acknowledge: ack },
      },
      { ownsJob: () => true, post: (envelope, onProcessed) => this.running?.post(envelope, onProcessed) },
    );
    if (accepted.length === 0) throw new Error(`the worker model reported on ${report.attempt_id}`);
  }

  private onPresence(message: PresenceMessage, ack: () => void): void {
    const to = presenceReply(message.reply_to);
    switch (message.type) {
      case 'register':
        this.running?.post(
          {
            actor: 'farm',
            id: message.farm,
            message: {
              type: 'worker.register',
              registration: message,
              identity: this.env.credentials?.identityOf(message.worker_id) ?? { kind: 'open' },
              replyTo: to,
            },
          },
          ack,
        );
        return;
      case 'heartbeat':
        this.running?.post(
          {
            actor: 'worker',
            id: message.worker_id,
            message: { type: 'worker.heartbeat', heartbeat: message, replyTo: to },
          },
          ack,
        );
        return;
      case 'deregister':
        this.running?.post(
          {
            actor: 'worker',
            id: message.worker_id,
            message: { type: 'worker.deregister', departure: message, replyTo: to },
          },
          ack,
        );
    }
  }

  /** The process exits immediately and is restarted. */
  private failStop(host: SimulationHost<ServiceSystem>): void {
    const { time, random } = this.env;
    host.stop();
    time.after(0, () => {
      if (this.running === host) this.crash();
    });
    time.after(1 + random.between(0, RESTART_MS_MAX), () => {
      this.start();
    });
  }

  private commit(changes: readonly Change[], onCommit: CommitCallbacks): void {
    const { time, random, trace, faults, build } = this.env;
    const host = this.running;
    if (host?.isStopped === true) return;
    const early: CommitCallbacks = {
      onDurable: () => {
        onCommit.onDurable();
        onCommit.onReadable();
      },
      onReadable: () => undefined,
    };
    this.store.commit(
      { version: 1, shard: SHARD, sequence: ++this.sequence, changes },
      build.dropsUnread ? early : onCommit,
    );
    time.after(random.between(0, faults.flushMs), () => {
      if (host === null || host.isStopped) return;
      trace.note('flush', this.store.waiting);
      this.store.flushNext();
      // Most commits become readable while others become durable.
      time.after(random.between(0, faults.readMs), () => {
        if (host.isStopped) return;
        trace.note('read', this.store.unread);
        this.store.readAll();
        this.release(this.unread.splice(0));
      });
    });
  }

  private release(outputs: readonly Output<ServiceSystem>[]): void {
    for (const output of outputs) {
      if (output.kind === 'reply') this.reply(output.to, output.answer);
      else this.perform(output.effect);
    }
  }

  private reply(to: ReplyTo<never>, answer: unknown): void {
    const onAnswer = this.clients.get(to);
    if (onAnswer !== undefined) {
      this.clients.delete(to);
      onAnswer(answer);
      return;
    }
    if (typeof to === 'string' && to.startsWith(CLIENT)) return;
    const waiting = replyTargetOf(to);
    if (waiting.kind === 'main-thread') throw new Error(`unknown request ${waiting.request}`);
    const inbox = this.inboxes.get(waiting.inbox);
    if (inbox === undefined) return;
    const reply =
      waiting.kind === 'lease'
        ? this.rides.confirmedBy(typedAnswer(waiting, answer), waiting)
        : (answer as object);
    const { bus } = this.env;
    if (!bus.isServiceConnected) return;
    bus.core(bus.serviceLink, inbox.link, reply, (delivered) => {
      // The worker may have stopped listening in the meantime.
      if (this.inboxes.get(waiting.inbox) === inbox) inbox.deliver(delivered);
    });
  }

  private perform(effect: ServiceSystem['effect']): void {
    const { time, random, trace } = this.env;
    const host = this.running;
    switch (effect.kind) {
      case 'event':
        trace.note('event', effect.event.subject, JSON.stringify(effect.event.payload));
        this.watcher?.event(effect.event);
        return;
      case 'task-events':
        for (const payload of effect.events()) {
          trace.note('event', 'tasks', JSON.stringify(payload));
          this.watcher?.event({ subject: 'tasks', payload });
        }
        return;
      case 'refused-keys-changed':
        // The simulated bus has no keys.
        return;
      case 'send-webhook':
        // The simulated farms have no webhooks.
        return;
      case 'cancel':
        trace.note('cancel', effect.message.attempt_id);
        this.onCancel?.(effect.message);
        return;
      case 'forward':
        // The main thread forwards messages in order of arrival.
        this.forwards.push(() => {
          if (host !== null && !host.isStopped) host.post(effect.envelope);
        });
        time.after(random.between(0, FRONT_MS_MAX), () => this.forwards.shift()?.());
        return;
      case 'confirm-bus': {
        const { workerId: id, askedAt } = effect;
        const confirm = (): void => {
          if (host !== null && !host.isStopped)
            host.post({ actor: 'worker', id, message: { type: 'bus.confirmed', askedAt } });
        };
        if (this.env.build.confirmsBlindly) confirm();
        else this.env.bus.roundTrip(confirm);
        return;
      }
      case 'release':
        this.env.build.tallies.release(effect.farmId, effect.slot, effect.count);
        return;
      case 'delete-logs': {
        const { jobId: id, farmId: farm } = effect;
        time.after(random.between(0, FRONT_MS_MAX), () => {
          if (host === null || host.isStopped) return;
          host.post({ actor: 'purge', id, message: { type: 'purge.logs-deleted', farmId: farm } });
        });
        return;
      }
      case 'count':
        return;
    }
  }
}
