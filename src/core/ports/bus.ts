import type { FarmId, QueueId, TaskId, WorkerId } from '../ids.ts';
import type { SingleBus } from '../records/worker.ts';
import type {
  CancelMessage,
  DeregisterMessage,
  DiagnosticMessage,
  HeartbeatMessage,
  LeaseReply,
  LeaseRequest,
  LogMessage,
  OwnerMessage,
  PresenceMessage,
  PreviewMessage,
  PresenceReply,
  RegisterMessage,
  StatusMessage,
} from '../wire/bus-messages.ts';
import type { LogPosition } from '../records/log-chunk.ts';
import type { Parsed } from '../wire/json-text.ts';
import type { RefusalReason } from '../wire/sender-check.ts';
import type { ANY_QUEUE } from '../wire/subjects.ts';

/**
 * The worker-facing bus as each side uses it (docs/contract/bus.md). The implementations parse texts into typed
 * messages.
 */

/** Result of a message without a reply. `sent` does not mean received. */
export type SendOutcome = 'sent' | 'disconnected' | 'too-large' | 'bad-subject';

/** Reports whether a prepared message can be sent later. */
export type PrepareOutcome = 'prepared' | Extract<SendOutcome, 'too-large' | 'bad-subject'>;

/** A message of a stream. It is redelivered until it is acknowledged or discarded. */
export interface Delivery<Message> {
  readonly message: Message;
  /** When the bus stored the message: milliseconds since the epoch, by the clock of the bus. */
  readonly storedAt: number;
  /** Delivery count of the bus, from 1. It may restart after a crash, so 1 does not prove that a message is new. */
  readonly deliveryNumber: number;
  /**
   * Must be called once all changes by the message are on disk. Only the first call of `acknowledge` and `discard`
   * counts.
   */
  acknowledge(): void;
  /** Drops a message that can never be processed: it is not redelivered. */
  discard(): void;
}

export interface LogDelivery extends Delivery<LogMessage> {
  /** The worker in the subject, which may send chunks of its own attempts only. Null if the bus knows no workers. */
  readonly sender: WorkerId | null;
  readonly streamSequence: number;
  /** When the stream was created. Another time means another stream with a new sequence. */
  readonly streamCreatedAt: string;
}

/** A preview in the stream of the logs. */
export interface PreviewDelivery extends Delivery<PreviewMessage> {
  /** The worker in the subject; null if the bus knows no workers. */
  readonly sender: WorkerId | null;
}

/** A shard has a second connection: that of the streams. Events of its first one name none. */
export type ConnectionPurpose = 'streams';

/** Changes of a bus connection, for logs, readiness and liveness. */
export type BusEvent =
  /** `isFirst` is false after a lost connection. */
  | {
      readonly type: 'connected';
      readonly purpose?: ConnectionPurpose;
      readonly server: string;
      readonly version: string;
      readonly isFirst: boolean;
    }
  | { readonly type: 'disconnected'; readonly purpose?: ConnectionPurpose; readonly reason: string }
  /** No server is reachable; sent once per outage. The bus keeps retrying. */
  | { readonly type: 'unreachable'; readonly purpose?: ConnectionPurpose; readonly reason: string }
  /** All subscriptions are in place. */
  | { readonly type: 'ready' }
  /** A stream or consumer is missing or was lost. The bus keeps retrying. */
  | { readonly type: 'impaired'; readonly part: string; readonly reason: string }
  /** A stream cannot be used, or misses a copy. */
  | { readonly type: 'stream-impaired'; readonly stream: string; readonly reason: string }
  /** A stream reported as impaired can be used again, with all its copies. */
  | { readonly type: 'stream-restored'; readonly stream: string }
  /** Settings of a stream were changed by another client, and were restored. */
  | { readonly type: 'stream-repaired'; readonly stream: string; readonly settings: string }
  /** The server reported an error about this connection. */
  | { readonly type: 'server-error'; readonly purpose?: ConnectionPurpose; readonly reason: string }
  /** An invalid message was discarded. */
  | { readonly type: 'poisoned'; readonly subject: string; readonly reason: string }
  /**
   * Messages were discarded because their sender may not send them: a credential was used for another worker. `count`: number
   * since the last event with this reason. `subject` of one of them; it ends with the worker of the credential.
   */
  | {
      readonly type: 'refused';
      readonly reason: RefusalReason;
      readonly count: number;
      readonly subject: string;
    }
  /** A message reached its maximum number of deliveries without an acknowledgment. */
  | {
      readonly type: 'max-deliveries-reached';
      readonly stream: string;
      readonly streamSequence: number;
      readonly deliveries: number;
    }
  /** The listener threw an error; a message of a stream is redelivered. */
  | { readonly type: 'listenerFailed'; readonly subject: string; readonly error: unknown }
  /** A message could not be published. */
  | { readonly type: 'publish-failed'; readonly subject: string; readonly reason: string };

/** Operations of every side of the bus. */
export interface BusMember {
  /** Returns null if a round trip to the server takes no longer than the timeout; otherwise why not. */
  check(timeoutMs: number): Promise<string | null>;
  /** Flushes pending messages and closes the connection. */
  close(): Promise<void>;
}

/** The bus as a shard of the service uses it. */
export interface ServiceBus extends BusMember {
  /**
   * Returns null if every stream exists and answers; otherwise the streams that do not, with the reasons. Concurrent
   * callers share one check.
   */
  checkStreams(): Promise<string | null>;
  /**
   * Returns the server of the current connection if it alone is the bus, so that its "no responders" proves that no
   * service is connected. Null if it is not, or without a connection.
   */
  singleBus(): SingleBus | null;
  /** `inbox` is the reply subject of the request. */
  answerLease(inbox: string, reply: LeaseReply): SendOutcome;
  /** `inbox` is the message's `reply_to`. */
  answerPresence(inbox: string, reply: PresenceReply): SendOutcome;
  /** Like `answerLease`, in two steps: encodes the reply and buffers it until `takePrepared` is called. */
  prepareLease(inbox: string, reply: LeaseReply): PrepareOutcome;
  preparePresence(inbox: string, reply: PresenceReply): PrepareOutcome;
  /**
   * Returns a function that sends all replies prepared since the last call, in order. Calling it writes them to the
   * socket before any microtask that the caller queues afterwards. Without a connection they are lost.
   */
  takePrepared(): () => void;
  /**
   * Requests the worker of the attempt to interrupt it. A failure is reported as an event, and the next heartbeat reply
   * repeats the request.
   */
  cancelAttempt(worker: WorkerId, message: CancelMessage): void;
  /** Tells all connected workers that this node has taken over the farms. Best effort. */
  announceOwner(message: OwnerMessage): SendOutcome;
}

/**
 * Messages for a shard. Every shard receives all messages, and immediately acknowledges those of other shards. Must not
 * throw.
 */
export interface ServiceBusListener {
  leaseRequested(request: LeaseRequest, queue: QueueId | typeof ANY_QUEUE, inbox: string): void;
  presenceAnnounced(delivery: Delivery<PresenceMessage>): void;
  statusReported(delivery: Delivery<StatusMessage>): void;
  busChanged(event: BusEvent): void;
}

/** The bus as the logs thread uses it. */
export interface LogBus extends BusMember {
  /** Counts a delivered chunk or preview that its sender may not send. The caller discards it. */
  refuse(reason: RefusalReason, delivery: Pick<LogDelivery, 'sender' | 'message'> | PreviewDelivery): void;
  /**
   * Returns the position of the newest chunk of the task on the bus that this worker has sent; null if it has no readable
   * one. On a bus without authentication that of any worker. Rejects if the bus does not answer.
   */
  lastLogOf(task: TaskId, worker: WorkerId | null): Promise<LogPosition | null>;
}

/** Messages for the logs thread. Must not throw. */
export interface LogBusListener {
  logged(delivery: LogDelivery): void;
  previewed(delivery: PreviewDelivery): void;
  /**
   * A worker published a diagnostic record. `source` is the id in the subject. The record is parsed only when `read` is
   * called.
   */
  diagnosed(source: string, read: () => Parsed<DiagnosticMessage>): void;
  busChanged(event: BusEvent): void;
}

/** A presence message without its `reply_to`, which the bus fills in. */
export type PresenceAnnouncement =
  | Omit<RegisterMessage, 'reply_to'>
  | Omit<HeartbeatMessage, 'reply_to'>
  | Omit<DeregisterMessage, 'reply_to'>;

/** Why a request has no reply. */
export type RequestFailure =
  | { readonly type: 'timedOut' }
  /** There are no subscribers: the service is unreachable. Only lease requests detect this. */
  | { readonly type: 'noResponders' }
  | { readonly type: Exclude<SendOutcome, 'sent'> }
  /** The reply is invalid. */
  | { readonly type: 'unreadable'; readonly reason: string };

export type PresenceOutcome = { readonly type: 'answered'; readonly reply: PresenceReply } | RequestFailure;
export type LeaseOutcome = { readonly type: 'answered'; readonly reply: LeaseReply } | RequestFailure;

/** Result of publishing a message to a stream. */
export type StoreOutcome =
  /** `isDuplicate`: the stream already had the message. */
  | { readonly type: 'stored'; readonly streamSequence: number; readonly isDuplicate: boolean }
  | RequestFailure
  /** The stream rejected it. */
  | { readonly type: 'refused'; readonly reason: string };

export interface LogOutcome {
  /** Number of chunks in the stream, from the first on. */
  readonly stored: number;
  /** Result of the next chunk; null if all are stored. */
  readonly failure: Exclude<StoreOutcome, { type: 'stored' }> | null;
}

/** The bus as the worker agent uses it. */
export interface WorkerBus extends BusMember {
  announcePresence(announcement: PresenceAnnouncement, timeoutMs: number): Promise<PresenceOutcome>;
  /**
   * Reports whether the bus with that identity has replied that no service is connected which owns the farm. False if this
   * connection is to another bus, or if there is no reply within the time.
   */
  isServiceAbsent(farm: FarmId, bus: string, timeoutMs: number): Promise<boolean>;
  requestLease(
    queue: QueueId | typeof ANY_QUEUE,
    request: LeaseRequest,
    timeoutMs: number,
  ): Promise<LeaseOutcome>;
  /** Ends the wait of every open lease request as if it had timed out. A later reply is handled as a late one. */
  cancelLeaseRequests(): void;
  /** Stores a report. The service confirms the end of an attempt separately, after it has processed the report. */
  reportStatus(message: StatusMessage): Promise<StoreOutcome>;
  /**
   * Waits while too much is in flight. Chunks after a failed one may have been stored too; sending them again is safe.
   */
  publishLogs(chunks: readonly LogMessage[]): Promise<LogOutcome>;
  publishPreview(message: PreviewMessage): Promise<StoreOutcome>;
  /** Best effort: only current subscribers receive it. */
  publishDiagnostic(message: DiagnosticMessage): SendOutcome;
  /** Receives cancels of this task from now on, also after reconnects, and those of the last five minutes. */
  followCancels(task: TaskId): void;
  unfollowCancels(task: TaskId): void;
  /** Receives announcements of a new owner of the farms from now on, also after reconnects. */
  followOwner(): void;
  /** Replaces the connection by a new one, which uses the present credential. Tasks continue. */
  redial(): Promise<void>;
}

/** Messages for the worker agent. Must not throw. */
export interface WorkerBusListener {
  /**
   * May be called twice, and for an attempt that has ended. Another client than the service may have sent the message: it
   * must be confirmed.
   */
  cancelRequested(message: CancelMessage): void;
  /** Another client than the service may have sent the message. */
  ownerAnnounced(message: OwnerMessage): void;
  /** A reply to a lease request that was canceled. The tasks in it are assigned to this worker nevertheless. */
  leaseAnsweredLate(reply: LeaseReply): void;
  busChanged(event: BusEvent): void;
}
