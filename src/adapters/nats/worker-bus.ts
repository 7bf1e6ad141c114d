import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { parseTaskId, type FarmId, type QueueId, type TaskId, type WorkerId } from '../../core/ids.ts';
import type {
  LeaseOutcome,
  LogOutcome,
  PresenceAnnouncement,
  PresenceOutcome,
  SendOutcome,
  StoreOutcome,
  RequestFailure,
  WorkerBus,
  WorkerBusListener,
} from '../../core/ports/bus.ts';
import type {
  DiagnosticMessage,
  LeaseRequest,
  LogMessage,
  PreviewMessage,
  StatusMessage,
} from '../../core/wire/bus-messages.ts';
import type { Parsed } from '../../core/wire/json-text.ts';
import {
  parseCancel,
  parseLeaseReply,
  parseOwner,
  parsePresenceReply,
} from '../../core/wire/service-messages.ts';
import {
  directGet,
  INBOX_ROOT,
  inboxRootOf,
  scopedSubjects,
  STREAMS,
  subjects,
  type ANY_QUEUE,
  type WorkerSubjects,
} from '../../core/wire/subjects.ts';
import { BusConnection, type ConnectionOptions } from './connection.ts';
import { CONNECTION_LIMITS, PUBLISH_LIMITS } from './limits.ts';
import { readText } from './message-text.ts';
import { RequestMux, type Answer } from './request-mux.ts';
import { InFlightLimit } from './in-flight-limit.ts';
import { store } from './store-message.ts';

const LEASE = 'lease';
const NOT_FOUND = 404;

export interface WorkerBusOptions extends Omit<ConnectionOptions, 'inboxPrefix'> {
  /** The worker whose credential the servers expect; null or absent on a bus without authentication. */
  readonly identity?: { readonly workerId: WorkerId } | null;
}

/** Connects to the bus as a worker agent. Starts immediately; the server may not be up yet. */
export function connectWorkerBus(options: WorkerBusOptions, listener: WorkerBusListener): WorkerBus {
  return new NatsWorkerBus(options, listener);
}

class NatsWorkerBus implements WorkerBus {
  readonly #listener: WorkerBusListener;
  readonly #connection: BusConnection;
  readonly #mux: RequestMux;
  readonly #subjects: WorkerSubjects;
  /** Followed tasks; the subscription is null without a connection. */
  readonly #followed = new Map<TaskId, Subscription | null>();
  readonly #logRoom = new InFlightLimit(PUBLISH_LIMITS.logsUnderWay, PUBLISH_LIMITS.logBytesUnderWay);
  #isOwnerFollowed = false;
  #nc: NatsConnection | null = null;

  constructor({ identity = null, ...options }: WorkerBusOptions, listener: WorkerBusListener) {
    this.#listener = listener;
    this.#subjects = identity === null ? subjects : scopedSubjects(identity.workerId);
    const inboxPrefix = identity === null ? INBOX_ROOT : inboxRootOf(identity.workerId);
    this.#connection = new BusConnection(
      { redial: CONNECTION_LIMITS.workerRedial, ...options, inboxPrefix },
      {
        sessionStarted: (nc) => this.#sessionStarted(nc),
        sessionEnded: () => this.#sessionEnded(),
        changed: (event) => listener.busChanged(event),
      },
    );
    this.#mux = new RequestMux(this.#connection, inboxPrefix, {
      kind: LEASE,
      answered: (message) => this.#answeredLate(message),
    });
  }

  async announcePresence(announcement: PresenceAnnouncement, timeoutMs: number): Promise<PresenceOutcome> {
    const subject = this.#subjects[announcement.type];
    const answer = await this.#mux.askWithin({ subject, timeoutMs, kind: 'presence' }, (inbox) =>
      JSON.stringify({ ...announcement, reply_to: inbox }),
    );
    return readAnswer(answer, parsePresenceReply);
  }

  async isServiceAbsent(farm: FarmId, bus: string, timeoutMs: number): Promise<boolean> {
    const facts = this.#connection.serverFacts();
    if (facts === null || !facts.isSingle || (facts.name !== bus && facts.id !== bus)) return false;
    const answer = await this.#mux.ask({ subject: subjects.present(farm), timeoutMs, kind: 'present' }, '');
    return answer.type === 'noResponders';
  }

  async requestLease(
    queue: QueueId | typeof ANY_QUEUE,
    request: LeaseRequest,
    timeoutMs: number,
  ): Promise<LeaseOutcome> {
    const subject = this.#subjects.lease(queue);
    const question = { subject, timeoutMs, kind: LEASE };
    const outcome = readAnswer(await this.#mux.ask(question, JSON.stringify(request)), parseLeaseReply);
    // Its tasks will be reclaimed and leased again, with the same result: the log must show the cause.
    if (outcome.type === 'unreadable')
      this.#listener.busChanged({ type: 'poisoned', subject, reason: outcome.reason });
    return outcome;
  }

  cancelLeaseRequests(): void {
    this.#mux.giveUp(LEASE);
  }

  reportStatus(message: StatusMessage): Promise<StoreOutcome> {
    const job = parseTaskId(message.task_id)?.jobId;
    if (job === undefined) return Promise.resolve({ type: 'bad-subject' });
    return store(this.#mux, this.#subjects.status(job), JSON.stringify(message), messageIdOf(message));
  }

  async publishLogs(chunks: readonly LogMessage[]): Promise<LogOutcome> {
    const outcomes: Promise<StoreOutcome>[] = [];
    for (const chunk of chunks) {
      const text = JSON.stringify(chunk);
      const bytes = Math.min(Buffer.byteLength(text), PUBLISH_LIMITS.logBytesUnderWay);
      await this.#logRoom.enter(bytes);
      const messageId = `${chunk.attempt_id}:${chunk.seq_num}`;
      const outcome = store(this.#mux, this.#subjects.logs(chunk.task_id), text, messageId);
      void outcome.then(() => this.#logRoom.leave(bytes));
      outcomes.push(outcome);
    }
    for (const [stored, waiting] of outcomes.entries()) {
      const outcome = await waiting;
      if (outcome.type !== 'stored') return { stored, failure: outcome };
    }
    return { stored: chunks.length, failure: null };
  }

  async publishPreview(message: PreviewMessage): Promise<StoreOutcome> {
    const text = JSON.stringify(message);
    await this.#logRoom.enter(text.length);
    try {
      const messageId = `${message.attempt_id}:preview:${message.number}`;
      return await store(this.#mux, this.#subjects.previews(message.task_id), text, messageId);
    } finally {
      this.#logRoom.leave(text.length);
    }
  }

  publishDiagnostic(message: DiagnosticMessage): SendOutcome {
    return this.#connection.publish(subjects.diagnostics(message.worker_id), JSON.stringify(message));
  }

  followCancels(task: TaskId): void {
    if (this.#followed.has(task)) return;
    this.#followed.set(task, null);
    const nc = this.#nc;
    if (nc === null || nc.isClosed() || nc.isDraining()) return;
    const subscription = this.#follow(nc, task);
    setTimeout(() => {
      const isFollowed = this.#followed.get(task) === subscription;
      if (isFollowed && subscription.getReceived() === 0) void this.#lookUpCancel(task);
    }, PUBLISH_LIMITS.cancelLookUpMs).unref();
  }

  unfollowCancels(task: TaskId): void {
    this.#followed.get(task)?.unsubscribe();
    this.#followed.delete(task);
  }

  followOwner(): void {
    if (this.#isOwnerFollowed) return;
    this.#isOwnerFollowed = true;
    const nc = this.#nc;
    if (nc !== null && !nc.isClosed() && !nc.isDraining()) this.#hearOwner(nc);
  }

  check(timeoutMs: number): Promise<string | null> {
    return this.#connection.check(timeoutMs);
  }

  redial(): Promise<void> {
    return this.#connection.redial();
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #sessionStarted(nc: NatsConnection): void {
    this.#nc = nc;
    this.#mux.sessionStarted(nc);
    for (const task of this.#followed.keys()) {
      this.#follow(nc, task);
      void this.#lookUpCancel(task);
    }
    if (this.#isOwnerFollowed) this.#hearOwner(nc);
    this.#listener.busChanged({ type: 'ready' });
  }

  #sessionEnded(): void {
    this.#nc = null;
    for (const task of this.#followed.keys()) this.#followed.set(task, null);
    this.#mux.sessionEnded();
  }

  #hearOwner(nc: NatsConnection): void {
    const subject = subjects.owner;
    nc.subscribe(subject, {
      callback: (error, message) => {
        // An error is a refused subscription, which the connection has reported.
        if (error !== null) return;
        const parsed = readText(message.data, parseOwner);
        if (parsed.ok) this.#tell(subject, () => this.#listener.ownerAnnounced(parsed.value));
        else this.#listener.busChanged({ type: 'poisoned', subject, reason: parsed.reason });
      },
    });
  }

  #follow(nc: NatsConnection, task: TaskId): Subscription {
    const subject = this.#subjects.cancel(task);
    const subscription = nc.subscribe(subject, {
      callback: (error, message) => {
        // An error is a refused subscription, which the connection has reported.
        if (error === null) this.#cancelRequested(subject, message);
      },
    });
    this.#followed.set(task, subscription);
    return subscription;
  }

  /**
   * A cancel published before this subscription is still in the stream. A failed lookup is not repeated: heartbeat
   * replies also list the attempts to stop.
   */
  async #lookUpCancel(task: TaskId): Promise<void> {
    const subject = this.#subjects.cancel(task);
    const answer = await this.#mux.ask(
      {
        subject: directGet(STREAMS.cancel.name, subject),
        timeoutMs: PUBLISH_LIMITS.acknowledgeMs,
        kind: 'lookup',
      },
      '',
    );
    if (answer.type !== 'answered' || answer.message.headers?.code === NOT_FOUND) return;
    if (this.#followed.has(task)) this.#cancelRequested(subject, answer.message);
  }

  #cancelRequested(subject: string, message: Msg): void {
    const parsed = readText(message.data, parseCancel);
    if (!parsed.ok) {
      this.#listener.busChanged({ type: 'poisoned', subject, reason: parsed.reason });
      return;
    }
    this.#tell(subject, () => this.#listener.cancelRequested(parsed.value));
  }

  #answeredLate(message: Msg): void {
    const parsed = readText(message.data, parseLeaseReply);
    if (!parsed.ok || parsed.value.type !== 'leases' || parsed.value.assignments.length === 0) return;
    const reply = parsed.value;
    this.#tell(message.subject, () => this.#listener.leaseAnsweredLate(reply));
  }

  #tell(subject: string, tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#listener.busChanged({ type: 'listenerFailed', subject, error });
    }
  }
}

/** A progress report is published once; any other may be published again and counts once. */
const messageIdOf = ({
  attempt_id: attempt,
  status,
  status_message: said,
}: StatusMessage): string | undefined =>
  status === 'running' && said !== undefined ? undefined : `${attempt}:${status}`;

function readAnswer<T>(
  answer: Answer,
  parse: (text: string) => Parsed<T>,
): { readonly type: 'answered'; readonly reply: T } | RequestFailure {
  if (answer.type !== 'answered') return answer;
  const parsed = readText(answer.message.data, parse);
  return parsed.ok
    ? { type: 'answered', reply: parsed.value }
    : { type: 'unreadable', reason: parsed.reason };
}
