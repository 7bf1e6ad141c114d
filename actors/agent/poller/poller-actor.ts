import type { ActorDefinition } from '../../kernel/actor.ts';
import type { AgentSettings } from '../agent-settings.ts';
import type { AgentSystem } from '../agent-system.ts';
import { requestWork, flushUnsentReports } from './request-work.ts';
import { beginConfirmed, beginQueued, releaseAttempts } from './assignments.ts';
import {
  onAttemptCancel,
  onAttemptsInterrupt,
  onAttemptsStop,
  onAttemptRevoked,
  onPollerLeave,
} from './on-attempts.ts';
import { onLeaseAnswered, onLeaseAnsweredLate, onLeaseUnanswered } from './on-lease-answered.ts';
import { onIdleTimeout, onSessionEnded, onSessionIdle, onSessionLost } from './session-pool.ts';
import { newPoller, type PollerState } from './state.ts';

/**
 * The poller owns the worker's cores and sessions. It requests work while cores are free and the worker is registered,
 * and dispatches each assignment to a session once.
 */
export function pollerActor(settings: AgentSettings): ActorDefinition<AgentSystem, 'poller', PollerState> {
  const { cpuCount, sessionLingerMs } = settings;
  return {
    kind: 'poller',
    load: newPoller,
    onMissing: () => null,
    handlers: {
      'poller.registered': (state, { registration }, context) => {
        state.registration = registration;
        context.send('outbox', 'outbox', { type: 'piggyback.enabled', isEnabled: true });
        forgetRequests(state, registration.incarnation);
        beginQueued(state, context);
        requestWork(state, cpuCount, context);
      },
      'poller.freshness-changed': (state, { leaseFreshMs }) => {
        if (state.registration !== null) state.registration = { ...state.registration, leaseFreshMs };
      },
      'poller.unregistered': (state, _message, context) => {
        state.registration = null;
        context.send('outbox', 'outbox', { type: 'piggyback.enabled', isEnabled: false });
        releaseAttempts(state, [...state.awaitingConfirmation.keys()], context);
      },
      'poller.leave': onPollerLeave,
      'attempts.stop': onAttemptsStop,
      'attempts.interrupt': onAttemptsInterrupt,
      'attempt.revoked': onAttemptRevoked,
      'attempt.cancel': onAttemptCancel,
      'attempts.confirmed': (state, { attemptIds }, context) => {
        beginConfirmed(state, attemptIds, context);
      },
      'attempts.rejected': (state, { attemptIds }, context) => {
        releaseAttempts(state, attemptIds, context);
        requestWork(state, cpuCount, context);
      },
      'lease.answered': onLeaseAnswered(cpuCount),
      'lease.unanswered': onLeaseUnanswered(cpuCount),
      'lease.answered-late': onLeaseAnsweredLate(cpuCount),
      'lease.retry': (state, { queue }, context) => {
        state.inBackoff.delete(queue);
        requestWork(state, cpuCount, context);
      },
      'cores.freed': (state, { attemptId }, context) => {
        releaseAttempts(state, [attemptId], context);
        requestWork(state, cpuCount, context);
        flushUnsentReports(state, context);
      },
      'session.idle': onSessionIdle(sessionLingerMs),
      'session.ended': onSessionEnded,
      'session.lost': onSessionLost,
      'session.idle-timeout': onIdleTimeout,
    },
  };
}

/** Forgets requests of an earlier incarnation. Their replies are ignored. */
function forgetRequests(state: PollerState, incarnation: string): void {
  for (const [queue, request] of state.requests) {
    if (request.incarnation !== incarnation) state.requests.delete(queue);
  }
}
