import type { QueueId, TaskId } from '../ids.ts';
import type {
  CancelMessage,
  DeregisterMessage,
  DiagnosticMessage,
  HeartbeatMessage,
  LeaseReply,
  LeaseRequest,
  LogMessage,
  PresenceMessage,
  PresenceReply,
  RegisterMessage,
  StatusMessage,
} from '../wire/bus-messages.ts';
import type { LogPosition } from '../records/log-chunk.ts';
import type { Parsed } from '../wire/json-text.ts';
import type { ANY_QUEUE } from '../wire/subjects.ts';

/**
 * The worker-facing bus as each side uses it (docs/contract/bus.md). Texts become typed messages behind these doors.
 */

/** What became of something said without waiting for an answer. Sent is not received. */
export type SendOutcome = 'sent' | 'disconnected' | 'too-large' | 'bad-subject';

/** Whether something can be said later. */
export type PrepareOutcome = 'prepared' | Extract<SendOutcome, 'too-large' | 'bad-subject'>;

/** A message of a stream: it comes again until it is acknowledged or discarded. */
export interface Delivery<Message> {
  readonly message: Message;
  /** When the bus took the message in: milliseconds since the epoch, by the clock of the bus. */
  readonly storedAt: number;
  /** From 1, as the bus remembers: after a crash it may count anew, so that 1 does not prove a message to be new. */
  readonly deliveryNumber: number;
  /** To be called once all that the message changed is on disk. Only the first call of the two counts. */
  acknowledge(): void;
  /** The message can never be used: it does not come again. */
  discard(): void;
}

export interface LogDelivery extends Delivery<LogMessage> {
  readonly streamSequence: number;
  /** When the stream was made: another time means another stream, whose sequence began anew. */
  readonly streamCreatedAt: string;
}

/** What happens to a bus, for logs, readiness and the start of listening. */
export type BusEvent =
  /** `isFirst` is false when a connection was lost before. */
  | {
      readonly type: 'connected';
      readonly server: string;
      readonly version: string;
      readonly isFirst: boolean;
    }
  | { readonly type: 'disconnected'; readonly reason: string }
  /** No server answers; said once for each outage. The bus keeps trying. */
  | { readonly type: 'unreachable'; readonly reason: string }
  /** All that this side listens to is in place. */
  | { readonly type: 'ready' }
  /** A stream or consumer is not in place, or was lost. The bus keeps trying. */
  | { readonly type: 'impaired'; readonly part: string; readonly reason: string }
  /** The server has complained about something that this connection did. */
  | { readonly type: 'server-error'; readonly reason: string }
  /** A message that is none was discarded. */
  | { readonly type: 'poisoned'; readonly subject: string; readonly reason: string }
  /** A message came as often as it may and was never acknowledged. */
  | {
      readonly type: 'max-deliveries-reached';
      readonly stream: string;
      readonly streamSequence: number;
      readonly deliveries: number;
    }
  /** The listener threw; a message of a stream comes again. */
  | { readonly type: 'listenerFailed'; readonly subject: string; readonly error: unknown }
  /** A message could not be said. */
  | { readonly type: 'publish-failed'; readonly subject: string; readonly reason: string };

/** What every side of the bus can do. */
export interface BusMember {
  /** Null when a message to the server and back takes no longer than this; otherwise why not. */
  check(timeoutMs: number): Promise<string | null>;
  /** Says what is still to be said and leaves. */
  close(): Promise<void>;
}

/** The bus as a shard of the service uses it. */
export interface ServiceBus extends BusMember {
  /** `inbox` is what came with the request. */
  answerLease(inbox: string, reply: LeaseReply): SendOutcome;
  /** `inbox` is the message's `reply_to`. */
  answerPresence(inbox: string, reply: PresenceReply): SendOutcome;
  /** The same in two steps: writes the answer, which leaves with all that is prepared until `takePrepared` is called. */
  prepareLease(inbox: string, reply: LeaseReply): PrepareOutcome;
  preparePresence(inbox: string, reply: PresenceReply): PrepareOutcome;
  /**
   * Gives what sends all that was prepared since the last call, in order: it is on the socket before a microtask that the caller queues after it
   * runs. It is lost without a connection then.
   */
  takePrepared(): () => void;
  /** Tells the worker that runs the attempt to interrupt it. A failure is reported as an event: the heartbeat exchange says it again. */
  cancelAttempt(message: CancelMessage): void;
}

/** What a shard hears. Every shard hears everything: what is not its own is acknowledged at once. Must not throw. */
export interface ServiceBusListener {
  leaseRequested(request: LeaseRequest, queue: QueueId | typeof ANY_QUEUE, inbox: string): void;
  presenceAnnounced(delivery: Delivery<PresenceMessage>): void;
  statusReported(delivery: Delivery<StatusMessage>): void;
  busChanged(event: BusEvent): void;
}

/** The bus as the logs thread uses it. */
export interface LogBus extends BusMember {
  /** The newest chunk of the task that the bus has; null when it has none that can be read. Rejects when the bus does not answer. */
  lastLogOf(task: TaskId): Promise<LogPosition | null>;
}

/** What the logs thread hears. Must not throw. */
export interface LogBusListener {
  logged(delivery: LogDelivery): void;
  /** A worker tells a diagnostic record: `source` is the id in the subject, and nothing is read before `read` is called. */
  diagnosed(source: string, read: () => Parsed<DiagnosticMessage>): void;
  busChanged(event: BusEvent): void;
}

/** A presence message but for its `reply_to`, which the bus fills in. */
export type PresenceAnnouncement =
  | Omit<RegisterMessage, 'reply_to'>
  | Omit<HeartbeatMessage, 'reply_to'>
  | Omit<DeregisterMessage, 'reply_to'>;

/** Why a question has no answer. */
export type RequestFailure =
  | { readonly type: 'timedOut' }
  /** Nobody listens: the service is away. Only lease requests can tell. */
  | { readonly type: 'noResponders' }
  | { readonly type: Exclude<SendOutcome, 'sent'> }
  /** The answer is none. */
  | { readonly type: 'unreadable'; readonly reason: string };

export type PresenceOutcome = { readonly type: 'answered'; readonly reply: PresenceReply } | RequestFailure;
export type LeaseOutcome = { readonly type: 'answered'; readonly reply: LeaseReply } | RequestFailure;

/** What became of a message for a stream. */
export type StoreOutcome =
  /** `isDuplicate`: the stream had it already. */
  | { readonly type: 'stored'; readonly streamSequence: number; readonly isDuplicate: boolean }
  | RequestFailure
  /** The stream does not take it. */
  | { readonly type: 'refused'; readonly reason: string };

export interface LogOutcome {
  /** How many of the chunks, from the first on, are in the stream. */
  readonly stored: number;
  /** What became of the next one; null when all are stored. */
  readonly failure: Exclude<StoreOutcome, { type: 'stored' }> | null;
}

/** The bus as the worker's daemon uses it. */
export interface WorkerBus extends BusMember {
  announcePresence(announcement: PresenceAnnouncement, timeoutMs: number): Promise<PresenceOutcome>;
  requestLease(
    queue: QueueId | typeof ANY_QUEUE,
    request: LeaseRequest,
    timeoutMs: number,
  ): Promise<LeaseOutcome>;
  /** Ends the wait of every open lease request as if its time was over. An answer that comes later is heard as a late one. */
  cancelLeaseRequests(): void;
  /** Stored is not processed: the service confirms the end of an attempt by itself. */
  reportStatus(message: StatusMessage): Promise<StoreOutcome>;
  /** Waits while too much is under way. Chunks after a failed one may have been stored too: sending them again does no harm. */
  publishLogs(chunks: readonly LogMessage[]): Promise<LogOutcome>;
  /** Best effort: who listens hears it. */
  publishDiagnostic(message: DiagnosticMessage): SendOutcome;
  /** Hears cancels of this task from now on, also after a lost connection, and those of the last five minutes. */
  followCancels(task: TaskId): void;
  unfollowCancels(task: TaskId): void;
}

/** What the worker's daemon hears. Must not throw. */
export interface WorkerBusListener {
  /** May come twice, and for an attempt that is over. */
  cancelRequested(message: CancelMessage): void;
  /** An answer to a lease request that was given up: the tasks in it are this worker's nevertheless. */
  leaseAnsweredLate(reply: LeaseReply): void;
  busChanged(event: BusEvent): void;
}
