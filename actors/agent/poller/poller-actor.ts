import type { ActorDefinition } from '../../kernel/actor.ts';
import type { AgentSettings } from '../agent-settings.ts';
import type { AgentWorld } from '../agent-world.ts';
import { askForWork, tellWithoutRide } from './ask.ts';
import { beginConfirmed, beginQueued, letGo } from './assignments.ts';
import {
  onAttemptCancel,
  onAttemptsInterrupt,
  onAttemptsStop,
  onAttemptVoid,
  onPollerLeave,
} from './on-attempts.ts';
import { onLeaseAnswered, onLeaseAnsweredLate, onLeaseUnanswered } from './on-lease-answered.ts';
import { onLingerOver, onSessionGone, onSessionIdle, onSessionLost } from './session-pool.ts';
import { newPoller, type PollerState } from './state.ts';

/**
 * The poller owns the worker's cores and sessions: it asks for work while cores are free and the worker is registered, and gives each
 * assignment to a session once.
 */
export function pollerActor(settings: AgentSettings): ActorDefinition<AgentWorld, 'poller', PollerState> {
  const { cpuCount, sessionLingerMs } = settings;
  return {
    kind: 'poller',
    load: newPoller,
    absent: () => null,
    handlers: {
      'poller.registered': (state, { registration }, context) => {
        state.registration = registration;
        context.send('outbox', 'outbox', { type: 'rides.allowed', areAllowed: true });
        forgetRequests(state, registration.incarnation);
        beginQueued(state, context);
        askForWork(state, cpuCount, context);
      },
      'poller.trusts': (state, { leaseFreshMs }) => {
        if (state.registration !== null) state.registration = { ...state.registration, leaseFreshMs };
      },
      'poller.unregistered': (state, _message, context) => {
        state.registration = null;
        context.send('outbox', 'outbox', { type: 'rides.allowed', areAllowed: false });
        letGo(state, [...state.doubted.keys()], context);
      },
      'poller.leave': onPollerLeave,
      'attempts.stop': onAttemptsStop,
      'attempts.interrupt': onAttemptsInterrupt,
      'attempt.void': onAttemptVoid,
      'attempt.cancel': onAttemptCancel,
      'attempts.confirmed': (state, { attemptIds }, context) => {
        beginConfirmed(state, attemptIds, context);
      },
      'attempts.refuted': (state, { attemptIds }, context) => {
        letGo(state, attemptIds, context);
        askForWork(state, cpuCount, context);
      },
      'lease.answered': onLeaseAnswered(cpuCount),
      'lease.unanswered': onLeaseUnanswered(cpuCount),
      'lease.answered-late': onLeaseAnsweredLate(cpuCount),
      'lease.retry': (state, { queue }, context) => {
        state.resting.delete(queue);
        askForWork(state, cpuCount, context);
      },
      'cores.freed': (state, { attemptId }, context) => {
        letGo(state, [attemptId], context);
        askForWork(state, cpuCount, context);
        tellWithoutRide(state, context);
      },
      'session.idle': onSessionIdle(sessionLingerMs),
      'session.gone': onSessionGone,
      'session.lost': onSessionLost,
      'linger.over': onLingerOver,
    },
  };
}

/** Requests of an earlier incarnation are nobody's: their answers find no request. */
function forgetRequests(state: PollerState, incarnation: string): void {
  for (const [queue, request] of state.requests) {
    if (request.incarnation !== incarnation) state.requests.delete(queue);
  }
}
