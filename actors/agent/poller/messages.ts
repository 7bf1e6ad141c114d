import type { AttemptId, FarmId, QueueId, SessionId, WorkerId } from '../../../src/core/ids.ts';
import type { LeaseReply } from '../../../src/core/wire/bus-messages.ts';
import type { ANY_QUEUE } from '../../../src/core/wire/subjects.ts';

/** The worker's registration with the service. */
export interface Registration {
  readonly workerId: WorkerId;
  readonly farmId: FarmId;
  readonly incarnation: string;
  /** Queues that the worker serves; empty for every queue of the farm. */
  readonly queueIds: readonly QueueId[];
  /** Assignments that may be older than this are started only after confirmation by the service. */
  readonly leaseFreshMs: number;
}

/** Messages of the poller, which requests work while cores are free and dispatches assignments to sessions. */
export type PollerMessage =
  /** From the registrar: the worker is registered. */
  | { readonly type: 'poller.registered'; readonly registration: Registration }
  /** From the registrar: the heartbeat timeout has changed. */
  | { readonly type: 'poller.freshness-changed'; readonly leaseFreshMs: number }
  /** From the registrar: stop requesting and starting work. */
  | { readonly type: 'poller.unregistered' }
  /** From the registrar at shutdown: start no more work. Answered by `sessions.ended` once no session is left. */
  | { readonly type: 'poller.leave' }
  /** From the registrar: stop the tasks and exit their environments. Attempts without a result are given back. */
  | { readonly type: 'attempts.stop'; readonly graceMs: number }
  /** From the registrar: stop everything without exits. Attempts without a result are given back. */
  | { readonly type: 'attempts.interrupt'; readonly graceMs: number }
  /** From the registrar: the service has closed the attempt. */
  | { readonly type: 'attempt.revoked'; readonly attemptId: AttemptId }
  /** From the registrar: the service has canceled the attempt. */
  | { readonly type: 'attempt.cancel'; readonly attemptId: AttemptId; readonly reason: string }
  /** From the registrar: these attempts that awaited confirmation are open. */
  | { readonly type: 'attempts.confirmed'; readonly attemptIds: readonly AttemptId[] }
  /** From the registrar: these attempts that awaited confirmation are closed. */
  | { readonly type: 'attempts.rejected'; readonly attemptIds: readonly AttemptId[] }
  /** From the bus: the end of a lease request. */
  | { readonly type: 'lease.answered'; readonly requestId: string; readonly reply: LeaseReply }
  | { readonly type: 'lease.unanswered'; readonly requestId: string; readonly reason: LeaseFailure }
  /** From the bus: a reply to a lease request that had been canceled. */
  | { readonly type: 'lease.answered-late'; readonly reply: LeaseReply }
  /** Own timer: the queue may be requested again. */
  | { readonly type: 'lease.retry'; readonly queue: QueueId | typeof ANY_QUEUE }
  /** From the registrar: the attempt has ended. */
  | { readonly type: 'cores.freed'; readonly attemptId: AttemptId }
  /** From a session: it waits for the next task of its step. */
  | { readonly type: 'session.idle'; readonly sessionId: SessionId }
  /** From a session: it has ended. */
  | { readonly type: 'session.ended'; readonly sessionId: SessionId }
  /** From a session whose state was lost because a handler threw. */
  | { readonly type: 'session.lost'; readonly sessionId: SessionId }
  /** Own timer: the session got no further task in time. */
  | { readonly type: 'session.idle-timeout'; readonly sessionId: SessionId };

/** Reason why a lease request failed. `no-responders`: no shard serves the farm now. */
export type LeaseFailure = 'timed-out' | 'no-responders' | 'failed';
