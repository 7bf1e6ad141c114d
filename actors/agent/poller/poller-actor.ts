import type { ActorDefinition } from '../../kernel/actor.ts';
import type { AgentSettings } from '../agent-settings.ts';
import type { AgentWorld } from '../agent-world.ts';
import { askForWork } from './ask.ts';
import { beginConfirmed, beginQueued, letGo } from './assignments.ts';
import { onLeaseAnswered, onLeaseAnsweredLate, onLeaseUnanswered } from './on-lease-answered.ts';
import { newPoller, type PollerState } from './state.ts';

/**
 * The poller owns the worker's cores: it asks for work while some are free and the worker is registered, and begins each assignment once.
 */
export function pollerActor(settings: AgentSettings): ActorDefinition<AgentWorld, 'poller', PollerState> {
  const { cpuCount } = settings;
  return {
    kind: 'poller',
    load: newPoller,
    absent: () => null,
    handlers: {
      'poller.registered': (state, { registration }, context) => {
        state.registration = registration;
        forgetRequests(state, registration.incarnation);
        beginQueued(state, context);
        askForWork(state, cpuCount, context);
      },
      'poller.unregistered': (state, _message, context) => {
        state.registration = null;
        letGo(state, [...state.doubted.keys()], context);
      },
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
      },
    },
  };
}

/** Requests of an earlier incarnation are nobody's: their answers find no request. */
function forgetRequests(state: PollerState, incarnation: string): void {
  for (const [queue, request] of state.requests) {
    if (request.incarnation !== incarnation) state.requests.delete(queue);
  }
}
