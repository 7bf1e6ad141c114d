import type { ActorDefinition } from '../../kernel/actor.ts';
import type { AgentSettings } from '../agent-settings.ts';
import type { AgentWorld } from '../agent-world.ts';
import { announceHeartbeat, announceRegistration, registerAnew } from './announce.ts';
import { onAgentLeave, onLeaveOverdue } from './leave.ts';
import { onAttemptsTaken, onSessionOver } from './on-attempts.ts';
import { onContactLost } from './on-contact-lost.ts';
import { onPresenceAnswered, onPresenceUnanswered } from './on-presence.ts';
import { loadRegistrar, type RegistrarState } from './state.ts';

/**
 * The registrar owns the worker's standing with the service: it registers until it is answered, says each heartbeat which attempts are
 * open, hears which are closed, and stops the worker's tasks when the service could have given them away.
 */
export function registrarActor(
  settings: AgentSettings,
): ActorDefinition<AgentWorld, 'registrar', RegistrarState> {
  return {
    kind: 'registrar',
    load: (_id, reader) => loadRegistrar(reader),
    absent: () => null,
    handlers: {
      'agent.start': (state, _message, context) => {
        context.send('outbox', 'outbox', { type: 'outbox.wake' });
        registerAnew(state, settings, context);
      },
      'agent.leave': onAgentLeave,
      'presence.answered': onPresenceAnswered(settings),
      'presence.unanswered': onPresenceUnanswered,
      'announce.due': (state, _message, context) => {
        if (state.phase === 'registering') announceRegistration(state, settings, context);
        else if (state.standing !== null) announceHeartbeat(state, state.standing, context);
      },
      'contact.lost': onContactLost(settings),
      'leave.overdue': onLeaveOverdue,
      'attempts.taken': onAttemptsTaken,
      'registration.doubted': (state, { incarnation }, context) => {
        if (state.phase !== 'registered' || incarnation !== state.incarnation || state.standing === null)
          return;
        announceHeartbeat(state, state.standing, context);
      },
      'session.over': onSessionOver(settings),
    },
  };
}
