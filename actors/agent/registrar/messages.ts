import type { AttemptId } from '../../../src/core/ids.ts';
import type { PresenceReply } from '../../../src/core/wire/bus-messages.ts';
import type { Capabilities } from '../agent-settings.ts';

/** How an attempt ended here. */
export type AttemptOutcome =
  /** Its end has been given to the outbox. */
  | 'reported'
  /** The service had closed the attempt: there is nothing to report. */
  | 'closed'
  /** Stopped by the worker itself: the attempt is to be given back. */
  | 'interrupted';

/** The registrar: the worker's standing with the service, and which attempts are open. */
export type RegistrarMessage =
  /** The daemon is ready to work. */
  | { readonly type: 'agent.start' }
  /** The daemon has been asked to stop: once its tasks have ended (bounded by `drainTimeoutMs`), or at once. Answered by the effect `left`. */
  | { readonly type: 'agent.leave'; readonly atOnce: boolean }
  /** Own timer: the tasks of a leaving worker have had their time. */
  | { readonly type: 'drain.overdue' }
  /** Own timer: the time of the exits of a leaving worker is over. */
  | { readonly type: 'exits.overdue' }
  /** From the bus: the answer to the announcement of that token. */
  | { readonly type: 'presence.answered'; readonly token: number; readonly reply: PresenceReply }
  /** From the bus: there will be no answer to the announcement of that token. */
  | { readonly type: 'presence.unanswered'; readonly token: number; readonly reason: string }
  /** From the bus: it is there, for the first time or again. */
  | { readonly type: 'bus.ready' }
  /** From the daemon: what the worker has is not what it had. */
  | { readonly type: 'capabilities.found'; readonly capabilities: Capabilities }
  /** Own timer: time for the next heartbeat, or to register again. */
  | { readonly type: 'announce.due' }
  /** Own timer: no contact was confirmed for two thirds of the heartbeat timeout. */
  | { readonly type: 'contact.lost' }
  /** Own timer: a leaving worker has waited long enough. */
  | { readonly type: 'leave.overdue' }
  /** From the poller: these attempts are this worker's. `doubted`: started only when the service says that they are open. */
  | {
      readonly type: 'attempts.taken';
      readonly attemptIds: readonly AttemptId[];
      readonly awaitingConfirmation: boolean;
    }
  /** From the poller: a lease request was answered with "unknown". */
  | { readonly type: 'registration.stale'; readonly incarnation: string }
  /** From the poller: the service has closed these attempts, as their reports say. */
  | { readonly type: 'reports.confirmed'; readonly attemptIds: readonly AttemptId[] }
  /** From a session, or from the poller for one that was never begun. */
  | { readonly type: 'attempt.over'; readonly attemptId: AttemptId; readonly outcome: AttemptOutcome }
  /** From the poller of a leaving worker: no session is left. */
  | { readonly type: 'sessions.ended' };
