import type { AttemptId, FarmId, QueueId, SessionId, WorkerId } from '../../../src/core/ids.ts';
import type { LeaseReply } from '../../../src/core/wire/bus-messages.ts';
import type { ANY_QUEUE } from '../../../src/core/wire/subjects.ts';

/** How the service knows the worker. */
export interface Registration {
  readonly workerId: WorkerId;
  readonly farmId: FarmId;
  readonly incarnation: string;
  /** Queues that the worker serves; empty means every queue of the farm. */
  readonly queueIds: readonly QueueId[];
  /** An assignment that may be older is begun only after the service has confirmed it. */
  readonly leaseFreshMs: number;
}

/** The poller: asks for work while cores are free, and hands assignments to sessions. */
export type PollerMessage =
  /** From the registrar. */
  | { readonly type: 'poller.registered'; readonly registration: Registration }
  /** From the registrar: the service has another timeout than it had. */
  | { readonly type: 'poller.freshness-changed'; readonly leaseFreshMs: number }
  /** From the registrar: no work may be asked for or begun. */
  | { readonly type: 'poller.unregistered' }
  /** From the registrar: the worker leaves. No work is begun any more; answered by `sessions.gone` once no session is left. */
  | { readonly type: 'poller.leave' }
  /** From the registrar: stop the tasks and exit their environments; what has no end is given back. */
  | { readonly type: 'attempts.stop'; readonly graceMs: number }
  /** From the registrar: stop everything; what has no end is given back. */
  | { readonly type: 'attempts.interrupt'; readonly graceMs: number }
  /** From the registrar: the service has closed the attempt. */
  | { readonly type: 'attempt.revoked'; readonly attemptId: AttemptId }
  /** From the bus: the service wants the attempt to be canceled. */
  | { readonly type: 'attempt.cancel'; readonly attemptId: AttemptId; readonly reason: string }
  /** From the registrar: doubted attempts that the service knows as open. */
  | { readonly type: 'attempts.confirmed'; readonly attemptIds: readonly AttemptId[] }
  /** From the registrar: doubted attempts that are closed. */
  | { readonly type: 'attempts.rejected'; readonly attemptIds: readonly AttemptId[] }
  /** From the bus. */
  | { readonly type: 'lease.answered'; readonly requestId: string; readonly reply: LeaseReply }
  | { readonly type: 'lease.unanswered'; readonly requestId: string; readonly reason: LeaseFailure }
  /** From the bus: an answer to a request that had been given up. */
  | { readonly type: 'lease.answered-late'; readonly reply: LeaseReply }
  /** Own timer: a queue may be asked again. */
  | { readonly type: 'lease.retry'; readonly queue: QueueId | typeof ANY_QUEUE }
  /** From the registrar: the attempt is over. */
  | { readonly type: 'cores.freed'; readonly attemptId: AttemptId }
  /** From a session: it waits for the next task of its step. */
  | { readonly type: 'session.idle'; readonly sessionId: SessionId }
  /** From a session: it is over. */
  | { readonly type: 'session.ended'; readonly sessionId: SessionId }
  /** Its state was lost with a handler that threw. */
  | { readonly type: 'session.lost'; readonly sessionId: SessionId }
  /** Own timer: no task has come for the session. */
  | { readonly type: 'session.idle-timeout'; readonly sessionId: SessionId };

/** Why a lease request has no answer. `no-responders`: nobody serves the farm now. */
export type LeaseFailure = 'timed-out' | 'no-responders' | 'failed';
