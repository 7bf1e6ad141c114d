import type { ActorDefinition } from '../../kernel/actor.ts';
import type { AgentSettings } from '../agent-settings.ts';
import type { AgentContext, AgentSystem } from '../agent-system.ts';
import { announceHeartbeat, announceRegistration, reregister, renewRegistration } from './announce.ts';
import { onCancelHinted, onConfirmDue } from './cancel-hints.ts';
import {
  leaveWhenConfirmed,
  onAgentLeave,
  onDrainOverdue,
  onExitsOverdue,
  onLeaveOverdue,
  onSessionsEnded,
} from './leave.ts';
import { onAbsenceOverdue, onAbsenceProbed } from './on-absence.ts';
import { onAttemptOver, onAttemptsTaken } from './on-attempts.ts';
import { onContactLost } from './on-contact-lost.ts';
import { onOwnerAnnounced } from './on-owner.ts';
import { onPresenceAnswered, onPresenceUnanswered } from './on-presence.ts';
import { loadRegistrar, mayHeartbeat, type RegistrarState } from './state.ts';

/**
 * The registrar owns the worker's registration with the service. It registers until it gets a reply, reports the open
 * attempts in every heartbeat, handles the closed ones of the reply, and stops all tasks before the service may reclaim
 * them.
 */
export function registrarActor(
  settings: AgentSettings,
): ActorDefinition<AgentSystem, 'registrar', RegistrarState> {
  const announceNow = (
    state: RegistrarState,
    _message: unknown,
    context: AgentContext<'registrar'>,
  ): void => {
    state.isOwnerAwaited = false;
    if (state.phase === 'registering') announceRegistration(state, settings, context);
    else if (mayHeartbeat(state) && state.registration !== null) {
      announceHeartbeat(state, state.registration, context);
      if (state.phase === 'registered') renewRegistration(state, settings, context);
    }
  };
  return {
    kind: 'registrar',
    load: (_id, reader) => loadRegistrar(reader, settings.capabilities),
    onMissing: () => null,
    handlers: {
      'agent.start': (state, _message, context) => {
        context.send('outbox', 'outbox', { type: 'outbox.activate' });
        reregister(state, settings, null, context);
      },
      'agent.leave': onAgentLeave(settings),
      'drain.overdue': onDrainOverdue,
      'exits.overdue': onExitsOverdue,
      'sessions.ended': onSessionsEnded,
      'presence.answered': onPresenceAnswered(settings),
      'presence.unanswered': onPresenceUnanswered,
      'absence.probed': onAbsenceProbed,
      'absence.overdue': onAbsenceOverdue,
      'bus.ready': announceNow,
      'owner.announced': onOwnerAnnounced,
      'announce.due': announceNow,
      'contact.lost': onContactLost(settings),
      'leave.overdue': onLeaveOverdue,
      'cancel.hinted': onCancelHinted,
      'confirm.due': onConfirmDue,
      'capabilities.found': (state, { capabilities }, context) => {
        state.capabilities = capabilities;
        if (state.phase === 'registered') renewRegistration(state, settings, context);
      },
      'attempts.taken': onAttemptsTaken,
      'registration.stale': (state, { incarnation }, context) => {
        if (state.phase !== 'registered' || incarnation !== state.incarnation || state.registration === null)
          return;
        announceHeartbeat(state, state.registration, context);
      },
      'reports.confirmed': (state, { attemptIds }, context) => {
        for (const attemptId of attemptIds) state.reported.delete(attemptId);
        if (state.phase === 'confirming') leaveWhenConfirmed(state, context);
      },
      'attempt.over': onAttemptOver(settings),
    },
  };
}
