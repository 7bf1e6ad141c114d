import type { AttemptId } from '../../../src/core/ids.ts';
import type { ActorDefinition } from '../../kernel/actor.ts';
import type { AgentSettings } from '../agent-settings.ts';
import type { AgentContext, AgentWorld } from '../agent-world.ts';
import { advance } from './advance.ts';
import type { SessionMessage } from './messages.ts';
import {
  onActionEnded,
  onActionKillDue,
  onActionOutput,
  onActionOverdue,
  onActionStarted,
} from './on-action.ts';
import {
  giveBackLost,
  newSession,
  onSessionBegin,
  onSessionCancel,
  onSessionInterrupt,
  onSessionOpened,
  onSessionVoid,
} from './on-session.ts';
import type { SessionState } from './state.ts';

/** A session owns one attempt on this worker: its environments, its task, its end. */
export function sessionActor({
  sessionsDirectory,
}: Pick<AgentSettings, 'sessionsDirectory'>): ActorDefinition<AgentWorld, 'session', SessionState> {
  return {
    kind: 'session',
    load: () => null,
    absent: (id, message, context) => absent(id as AttemptId, message, sessionsDirectory, context),
    isOver: (state) => state.phase === 'over',
    handlers: {
      'session.begin': onSessionBegin,
      'session.opened': onSessionOpened,
      'session.cancel': onSessionCancel,
      'session.void': onSessionVoid,
      'session.interrupt': onSessionInterrupt,
      'session.closed': (state, _message, context) => {
        state.isClosed = true;
        advance(state, context);
      },
      'action.started': onActionStarted,
      'action.output': onActionOutput,
      'action.ended': onActionEnded,
      'action.overdue': onActionOverdue,
      'action.kill-due': onActionKillDue,
      'logs.drained': (state, _message, context) => {
        state.isDrained = true;
        advance(state, context);
      },
      'logs.overdue': (state, _message, context) => {
        state.isDrained = true;
        advance(state, context);
      },
    },
  };
}

function absent(
  attemptId: AttemptId,
  message: SessionMessage,
  sessionsDirectory: string,
  context: AgentContext<'session'>,
): SessionState | null {
  switch (message.type) {
    case 'session.begin':
      return newSession(message, sessionsDirectory, context);
    case 'session.opened':
    case 'action.started':
    case 'action.output':
    case 'action.ended':
    case 'session.void':
    case 'session.interrupt':
      giveBackLost(attemptId, context);
      return null;
    // Late word of a session that is over.
    case 'session.cancel':
    case 'session.closed':
    case 'action.overdue':
    case 'action.kill-due':
    case 'logs.drained':
    case 'logs.overdue':
      return null;
  }
}
