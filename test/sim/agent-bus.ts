import type { AgentEffect, AgentEnvelope } from '../../actors/agent/agent-system.ts';
import type { VirtualTime } from '../../actors/kernel/virtual-time.ts';
import type { AttemptId, TaskId, WorkerId } from '../../src/core/ids.ts';
import type { CancelMessage, LeaseReply, PresenceReply } from '../../src/core/wire/bus-messages.ts';
import { inboxRootOf } from '../../src/core/wire/subjects.ts';
import { BUS_ID, type BusModel, type Link } from './bus-model.ts';
import type { CancelStream } from './cancel-stream.ts';
import type { LogBook } from './log-book.ts';
import type { Random } from './random.ts';
import type { ServiceEndpoint } from './service-model.ts';

/** Timeout of a stream acknowledgement (src/adapters/nats/limits.ts, PUBLISH_LIMITS). */
const ACKNOWLEDGE_MS = 5_000;
/** Longest time until a request without a responder fails. */
const NO_RESPONDERS_MS = 5;
/** Share of connections that are re-created after a cut. Shorter cuts are not detected. */
const RECONNECT_SHARE = 0.5;

type EffectOf<Kind extends AgentEffect['kind']> = Extract<AgentEffect, { kind: Kind }>;

export interface AgentBusWorld {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly bus: BusModel;
  readonly service: ServiceEndpoint;
  readonly cancels: CancelStream;
  readonly logs: LogBook;
}

/** The daemon at the worker's end of the connection. */
export interface AgentEnd {
  readonly name: string;
  readonly link: Link;
  post(envelope: AgentEnvelope): void;
  /** Runs an action in the daemon: immediately, when the daemon is resumed, or never. */
  inLife(action: () => void): void;
}

/**
 * The worker's end of the bus. Models src/adapters/nats/worker-bus.ts together with daemons/worker/agent-effects.ts.
 */
export class AgentBus {
  private readonly world: AgentBusWorld;
  private readonly end: AgentEnd;
  private readonly address: string;
  private inboxes = 0;
  private readonly openLeases = new Set<string>();
  /** Attempts with an unacknowledged log chunk. */
  private readonly shipping = new Set<AttemptId>();
  private readonly followed = new Map<TaskId, number>();

  /** `life` numbers the incarnations of the daemon. */
  constructor(world: AgentBusWorld, end: AgentEnd, life: number) {
    this.world = world;
    this.end = end;
    this.address = `${end.name}.${life}`;
  }

  /** The daemon has ended: unstored messages are not sent again. */
  cutOff(): void {
    for (const attemptId of this.shipping) this.world.logs.cutOff(attemptId);
  }

  announce({ token, announcement, timeoutMs }: EffectOf<'announce'>): void {
    const { bus } = this.world;
    const inbox = this.inbox(announcement.worker_id, (reply) => {
      const answer = reply as PresenceReply;
      if (!close()) return;
      this.end.post({
        actor: 'registrar',
        id: 'registrar',
        message: { type: 'presence.answered', token, reply: answer },
      });
    });
    const close = once(() => {
      this.world.service.closeInbox(inbox);
    });
    bus.publish(this.end.link, 'presence', { ...announcement, reply_to: inbox });
    this.later(timeoutMs, () => {
      if (!close()) return;
      this.end.post({
        actor: 'registrar',
        id: 'registrar',
        message: { type: 'presence.unanswered', token, reason: 'timedOut' },
      });
    });
  }

  probeAbsence({ token, bus: id, timeoutMs }: EffectOf<'probe-absence'>, trustsBus: boolean): void {
    const { bus } = this.world;
    const settle = once(() => undefined);
    const answer = (isAbsent: boolean): void => {
      if (!settle()) return;
      this.end.post({
        actor: 'registrar',
        id: 'registrar',
        message: { type: 'absence.probed', token, isAbsent },
      });
    };
    const onAbsent = (): void => {
      this.end.inLife(() => {
        answer(true);
      });
    };
    if (id === BUS_ID && trustsBus) bus.ping(this.end.link, onAbsent);
    else if (id === BUS_ID) bus.probe(this.end.link, onAbsent);
    this.later(timeoutMs, () => {
      answer(false);
    });
  }

  requestLease({ requestId, queue, request, timeoutMs }: EffectOf<'request-lease'>): void {
    const { bus, service } = this.world;
    const { link } = this.end;
    this.openLeases.add(requestId);
    const inbox = this.inbox(request.worker_id, (reply) => {
      this.leaseAnswered(requestId, reply as LeaseReply);
    });
    bus.core(link, bus.serviceLink, request, (message) => {
      if (service.isServing) service.onLeaseRequest(queue, message, inbox, link.worker);
      else
        bus.core(null, link, {}, () => {
          this.later(NO_RESPONDERS_MS, () => {
            this.leaseUnanswered(requestId, 'no-responders');
          });
        });
    });
    this.later(timeoutMs, () => {
      this.leaseUnanswered(requestId, 'timed-out');
    });
  }

  cancelLeaseRequests(): void {
    for (const requestId of [...this.openLeases]) this.leaseUnanswered(requestId, 'timed-out');
  }

  report({ report }: EffectOf<'report'>): void {
    const { bus } = this.world;
    const { attempt_id: attemptId, status } = report;
    const settle = once(() => undefined);
    bus.publish(this.end.link, 'status', report, () => {
      bus.core(null, this.end.link, {}, () => {
        this.end.inLife(() => {
          if (!settle()) return;
          this.end.post({
            actor: 'outbox',
            id: 'outbox',
            message: { type: 'report.stored', attemptId, status },
          });
        });
      });
    });
    this.later(ACKNOWLEDGE_MS, () => {
      if (!settle()) return;
      this.end.post({
        actor: 'outbox',
        id: 'outbox',
        message: { type: 'report.publish-failed', attemptId, status, reason: 'timedOut' },
      });
    });
  }

  /** Chunks after a lost one may have been stored nevertheless. */
  shipLogs({ attemptId, chunks }: EffectOf<'ship-logs'>): void {
    const { bus, logs } = this.world;
    const acknowledged = new Set<number>();
    const settle = once(() => undefined);
    this.shipping.add(attemptId);
    const answer = (failure: string | null): void => {
      if (!settle()) return;
      if (failure === null) this.shipping.delete(attemptId);
      const firstMissing = chunks.findIndex(({ seq_num: number }) => !acknowledged.has(number));
      const stored = firstMissing < 0 ? chunks.length : firstMissing;
      this.end.post({ actor: 'shipper', id: attemptId, message: { type: 'logs.stored', stored, failure } });
    };
    for (const chunk of chunks) {
      bus.core(this.end.link, null, chunk, () => {
        logs.take(chunk);
        bus.core(null, this.end.link, {}, () => {
          this.end.inLife(() => {
            acknowledged.add(chunk.seq_num);
            if (acknowledged.size === chunks.length) answer(null);
          });
        });
      });
    }
    this.later(ACKNOWLEDGE_MS, () => {
      answer('timedOut');
    });
  }

  follow(taskId: TaskId): void {
    const attempts = this.followed.get(taskId) ?? 0;
    this.followed.set(taskId, attempts + 1);
    if (attempts === 0) this.lookUp(taskId);
  }

  unfollow(taskId: TaskId): void {
    const attempts = (this.followed.get(taskId) ?? 0) - 1;
    if (attempts > 0) this.followed.set(taskId, attempts);
    else this.followed.delete(taskId);
  }

  /** Called by the bus. */
  cancelRequested(message: CancelMessage): void {
    if (!this.followed.has(message.task_id)) return;
    const { attempt_id: attemptId, reason } = message;
    this.end.post({
      actor: 'registrar',
      id: 'registrar',
      message: { type: 'cancel.hinted', attemptId, reason },
    });
  }

  /** The bus is reachable again. The connection may have to be re-created. */
  reconnected(): void {
    if (!this.world.random.chance(RECONNECT_SHARE)) return;
    for (const taskId of this.followed.keys()) this.lookUp(taskId);
    this.end.post({ actor: 'registrar', id: 'registrar', message: { type: 'bus.ready' } });
  }

  /** A cancel that was published before this subscription is still in the stream. A lost lookup is not repeated. */
  private lookUp(taskId: TaskId): void {
    const { bus, cancels } = this.world;
    const { link } = this.end;
    bus.core(link, null, {}, () => {
      const last = cancels.lastOf(taskId);
      if (last === null) return;
      bus.core(null, link, last, (message) => {
        this.end.inLife(() => {
          this.cancelRequested(message as CancelMessage);
        });
      });
    });
  }

  private leaseAnswered(requestId: string, reply: LeaseReply): void {
    if (this.openLeases.delete(requestId)) {
      this.end.post({ actor: 'poller', id: 'poller', message: { type: 'lease.answered', requestId, reply } });
    } else if (reply.type === 'leases' && reply.assignments.length > 0) {
      this.end.post({ actor: 'poller', id: 'poller', message: { type: 'lease.answered-late', reply } });
    }
  }

  private leaseUnanswered(requestId: string, reason: 'timed-out' | 'no-responders'): void {
    if (!this.openLeases.delete(requestId)) return;
    this.end.post({
      actor: 'poller',
      id: 'poller',
      message: { type: 'lease.unanswered', requestId, reason },
    });
  }

  private inbox(worker: WorkerId, onReply: (reply: unknown) => void): string {
    const address = `${inboxRootOf(worker)}.${this.address}.${this.inboxes++}`;
    this.world.service.openInbox(address, this.end.link, (reply) => {
      this.end.inLife(() => {
        onReply(reply);
      });
    });
    return address;
  }

  private later(delayMs: number, action: () => void): void {
    this.world.time.after(delayMs, () => {
      this.end.inLife(action);
    });
  }
}

/** Returns a function that runs `action` on its first call only, and returns true then. */
function once(action: () => void): () => boolean {
  let isDone = false;
  return () => {
    if (isDone) return false;
    isDone = true;
    action();
    return true;
  };
}
