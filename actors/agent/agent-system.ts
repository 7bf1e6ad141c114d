import type { AttemptId, FarmId, QueueId, SessionId, TaskId } from '../../src/core/ids.ts';
import type { JournalChange, JournalReader } from '../../src/core/ports/agent-journal.ts';
import type { PreviewRequest } from '../../src/core/ports/previews.ts';
import type { StagingRequest } from '../../src/core/ports/staging.ts';
import type { ActionStart, SessionClosing, SessionOpening } from '../../src/core/ports/task-processes.ts';
import type {
  DeregisterMessage,
  HeartbeatMessage,
  LeaseRequest,
  LogMessage,
  RegisterMessage,
  StatusMessage,
} from '../../src/core/wire/bus-messages.ts';
import type { ANY_QUEUE } from '../../src/core/wire/subjects.ts';
import type { Envelope } from '../kernel/address.ts';
import type { Context } from '../kernel/actor.ts';
import type { OutboxMessage } from './outbox/messages.ts';
import type { PollerMessage } from './poller/messages.ts';
import type { RegistrarMessage } from './registrar/messages.ts';
import type { SessionMessage } from './session/messages.ts';
import type { ShipperMessage } from './shipper/messages.ts';

/** Every kind of actor of a worker agent. There is one registrar, one poller and one outbox, with the kind as id. */
export type AgentMessages = {
  registrar: RegistrarMessage;
  poller: PollerMessage;
  session: SessionMessage;
  shipper: ShipperMessage;
  outbox: OutboxMessage;
};

export type AgentEnvelope = Envelope<AgentMessages>;

/** A presence message without its `reply_to`, which the bus adds. */
export type Announcement =
  | Omit<RegisterMessage, 'reply_to'>
  | Omit<HeartbeatMessage, 'reply_to'>
  | Omit<DeregisterMessage, 'reply_to'>;

/** Effects of the agent. The executor of an effect answers with the message that is named there. */
export type AgentEffect =
  /** Answered by the registrar's `presence.answered` or `presence.unanswered`. */
  | {
      readonly kind: 'announce';
      readonly token: number;
      readonly announcement: Announcement;
      readonly timeoutMs: number;
    }
  /**
   * Asks the bus whether a service is connected that owns the farm. Answered by the registrar's `absence.probed`.
   * `bus`: identity of the bus that must reply.
   */
  | {
      readonly kind: 'probe-absence';
      readonly token: number;
      readonly farmId: FarmId;
      readonly bus: string;
      readonly timeoutMs: number;
    }
  /** Answered by the poller's `lease.answered` or `lease.unanswered`. */
  | {
      readonly kind: 'request-lease';
      readonly requestId: string;
      readonly queue: QueueId | typeof ANY_QUEUE;
      readonly request: LeaseRequest;
      readonly timeoutMs: number;
    }
  /** Cancels all open lease requests. Each is answered by `lease.unanswered`, as after a timeout. */
  | { readonly kind: 'give-up-leases' }
  /** Listens to announcements of the owner of the farms, from now on. */
  | { readonly kind: 'follow-owner' }
  /** Publishes a report. Answered by the outbox's `report.stored` or `report.publish-failed`. */
  | { readonly kind: 'report'; readonly report: StatusMessage }
  /** Publishes a task's progress. Not answered. */
  | { readonly kind: 'report-progress'; readonly report: StatusMessage }
  /** Answered by the shipper's `logs.stored`. */
  | { readonly kind: 'ship-logs'; readonly attemptId: AttemptId; readonly chunks: readonly LogMessage[] }
  /**
   * Answered by the shipper's `logs.spooled`. `isLast`: the session waits for it, so it may use the space reserved for
   * ends.
   */
  | {
      readonly kind: 'spool-logs';
      readonly attemptId: AttemptId;
      readonly chunks: readonly LogMessage[];
      readonly isLast: boolean;
    }
  /** Publishes the next chunks of the attempt from the spool. Answered by the shipper's `logs.unspooled`. */
  | { readonly kind: 'ship-spool'; readonly attemptId: AttemptId }
  /** Subscribes to cancel requests of the task, which arrive at the registrar as `cancel.hinted`. */
  | { readonly kind: 'follow-cancels'; readonly taskId: TaskId }
  | { readonly kind: 'unfollow-cancels'; readonly taskId: TaskId }
  /** Answered by the session's `session.opened`. */
  | { readonly kind: 'open-session'; readonly sessionId: SessionId; readonly opening: SessionOpening }
  /** Answered by the session's `action.started`, `action.output` and `action.ended`. */
  | { readonly kind: 'start-action'; readonly sessionId: SessionId; readonly action: ActionStart }
  | {
      readonly kind: 'notify-action';
      readonly sessionId: SessionId;
      readonly run: number;
      readonly notifyEndAt: number;
    }
  | { readonly kind: 'terminate-action'; readonly sessionId: SessionId; readonly run: number }
  | { readonly kind: 'kill-action'; readonly sessionId: SessionId; readonly run: number }
  | { readonly kind: 'output-consumed'; readonly sessionId: SessionId; readonly bytes: number }
  /** Answered by the session's `session.closed`. */
  | { readonly kind: 'close-session'; readonly sessionId: SessionId; readonly closing: SessionClosing }
  /** Copies files. Answered by the session's `staging.ended`. */
  | { readonly kind: 'stage'; readonly sessionId: SessionId; readonly request: StagingRequest }
  /** Stops the copy in progress, which is then answered as a failure. */
  | { readonly kind: 'stop-staging'; readonly sessionId: SessionId }
  /** Releases the staging of a session that has ended. */
  | { readonly kind: 'forget-staging'; readonly sessionId: SessionId }
  /** Makes previews of outputs, if the worker is configured to. Not answered. */
  | { readonly kind: 'make-previews'; readonly request: PreviewRequest }
  /** An environment could not be exited. The result of the attempt is the same. */
  | { readonly kind: 'exit-failed'; readonly sessionId: SessionId }
  /**
   * Sets the time for which tasks may run without further contact; null for no limit. Supervisors enforce it even if
   * the agent does not run.
   */
  | { readonly kind: 'set-contact-deadline'; readonly leftMs: number | null }
  /** The shutdown is complete. The agent may exit. */
  | { readonly kind: 'stopped' };

export interface AgentSystem {
  readonly messages: AgentMessages;
  readonly change: JournalChange;
  readonly effect: AgentEffect;
  readonly reader: JournalReader;
}

export type AgentContext<K extends keyof AgentMessages> = Context<AgentSystem, K>;
