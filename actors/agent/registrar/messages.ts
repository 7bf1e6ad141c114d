import type { AttemptId } from '../../../src/core/ids.ts';
import type { PresenceReply } from '../../../src/core/wire/bus-messages.ts';
import type { Capabilities } from '../agent-settings.ts';

/** Outcome of an attempt on this worker. */
export type AttemptOutcome =
  /** Its terminal report is in the outbox. */
  | 'reported'
  /** The service had closed the attempt: there is nothing to report. */
  | 'closed'
  /** Stopped by the worker itself: the attempt is to be given back. */
  | 'interrupted';

/** Messages of the registrar, which owns the worker's registration with the service and the list of open attempts. */
export type RegistrarMessage =
  /** From the agent: start. */
  | { readonly type: 'agent.start' }
  /**
   * From the agent: shut down, after the tasks have ended (bounded by `drainTimeoutMs`) or at once. Answered by the
   * effect `stopped`.
   */
  | { readonly type: 'agent.leave'; readonly atOnce: boolean }
  /** Own timer: the drain timeout has passed. */
  | { readonly type: 'drain.overdue' }
  /** Own timer: the time limit of the exits has passed. */
  | { readonly type: 'exits.overdue' }
  /** From the bus: the reply to the announcement with that token. */
  | { readonly type: 'presence.answered'; readonly token: number; readonly reply: PresenceReply }
  /** From the bus: the announcement with that token gets no reply. */
  | { readonly type: 'presence.unanswered'; readonly token: number; readonly reason: string }
  /**
   * From the bus: the answer to the probe with that token. `isAbsent`: no service is connected to the bus that the probe
   * named.
   */
  | { readonly type: 'absence.probed'; readonly token: number; readonly isAbsent: boolean }
  /** Own timer: no service has replied for so long that its absence no longer counts as contact. */
  | { readonly type: 'absence.overdue' }
  /** From the bus: it is connected, for the first time or again. */
  | { readonly type: 'bus.ready' }
  /** From the agent: the capabilities may have changed. */
  | { readonly type: 'capabilities.found'; readonly capabilities: Capabilities }
  /** From the bus: a message that claims that another node has taken over the farms. */
  | { readonly type: 'owner.announced'; readonly service: string }
  /** Own timer: the next heartbeat or registration is due. */
  | { readonly type: 'announce.due' }
  /** Own timer: no contact was confirmed for two thirds of the time after which the service reclaims the tasks. */
  | { readonly type: 'contact.lost' }
  /** From the bus: a message that claims that the service has canceled the attempt. */
  | { readonly type: 'cancel.hinted'; readonly attemptId: AttemptId; readonly reason: string }
  /** Own timer: the next heartbeat about cancel messages may be sent. */
  | { readonly type: 'confirm.due' }
  /** Own timer: the time limit for confirmations at shutdown has passed. */
  | { readonly type: 'leave.overdue' }
  /** From the poller: new attempts. `awaitingConfirmation`: they start only if the service confirms them as open. */
  | {
      readonly type: 'attempts.taken';
      readonly attemptIds: readonly AttemptId[];
      readonly awaitingConfirmation: boolean;
    }
  /** From the poller: a lease request was answered with `unknown`. */
  | { readonly type: 'registration.stale'; readonly incarnation: string }
  /** From the poller: the service has closed these attempts because of their reports. */
  | { readonly type: 'reports.confirmed'; readonly attemptIds: readonly AttemptId[] }
  /** From a session, or from the poller for an attempt that was never started. */
  | { readonly type: 'attempt.over'; readonly attemptId: AttemptId; readonly outcome: AttemptOutcome }
  /** From the poller at shutdown: no session is left. */
  | { readonly type: 'sessions.ended' };
