import { sessionId, type SessionId } from '../../../src/core/ids.ts';
import type { ActorDefinition } from '../../kernel/actor.ts';
import type { AgentContext, AgentSystem } from '../agent-system.ts';
import { advance } from './advance.ts';
import type { SessionMessage } from './messages.ts';
import { onActionEnded, onActionKillDue, onActionOverdue, onActionStarted } from './on-action.ts';
import { onActionOutput } from './on-output.ts';
import {
  returnLostAttempt,
  newSession,
  onSessionBegin,
  onSessionCancel,
  onSessionEnd,
  onSessionInterrupt,
  onSessionStop,
  onSessionOpened,
  onSessionTask,
  onSessionRevoke,
  type SessionSettings,
} from './on-session.ts';
import { endStaging } from './staging.ts';
import type { SessionState } from './state.ts';

/**
 * A session owns one working directory on this worker, its environments and the tasks of one step that run in them one
 * after another. Each environment is set up once for all of these tasks (docs/contract/sessions.md#order-of-a-session).
 */
export function sessionActor(
  settings: SessionSettings,
): ActorDefinition<AgentSystem, 'session', SessionState> {
  return {
    kind: 'session',
    load: () => null,
    onMissing: (id, message, context) => handleMissing(sessionId(id), message, settings, context),
    isEvictable: (state) => state.phase === 'ended',
    handlers: {
      'session.begin': onSessionBegin,
      'session.task': onSessionTask,
      'session.last': (state) => {
        if (state.attempt !== null) state.attempt.isLast = true;
      },
      'session.end': onSessionEnd,
      'session.cancel': onSessionCancel,
      'session.revoke': onSessionRevoke,
      'session.stop': onSessionStop,
      'session.interrupt': onSessionInterrupt,
      'session.opened': onSessionOpened,
      'session.closed': (state, _message, context) => {
        state.isClosed = true;
        advance(state, context);
      },
      'staging.ended': (state, message, context) => {
        if (endStaging(state, message)) advance(state, context);
      },
      'action.started': onActionStarted,
      'action.output': onActionOutput,
      'action.ended': onActionEnded,
      'action.overdue': onActionOverdue,
      'action.kill-due': onActionKillDue,
      'logs.drained': onLogsDrained,
      'logs.overdue': onLogsDrained,
    },
  };
}

/** Ends the wait of the attempt's report for its logs. */
function onLogsDrained(
  state: SessionState,
  { attemptId }: Extract<SessionMessage, { type: 'logs.drained' | 'logs.overdue' }>,
  context: AgentContext<'session'>,
): void {
  const { attempt } = state;
  if (attempt?.assignment.attempt_id !== attemptId) return;
  attempt.isDrained = true;
  advance(state, context);
}

function handleMissing(
  id: SessionId,
  message: SessionMessage,
  settings: SessionSettings,
  context: AgentContext<'session'>,
): SessionState | null {
  switch (message.type) {
    case 'session.begin':
      return newSession(id, message, settings, context);
    case 'session.task':
    case 'session.opened':
    case 'action.started':
    case 'action.output':
    case 'action.ended':
    case 'session.cancel':
    case 'session.revoke':
    case 'session.stop':
    case 'session.interrupt':
    case 'session.last':
    case 'session.end':
      returnLostAttempt(id, context);
      return null;
    // Late messages to a session that has ended.
    case 'session.closed':
    case 'staging.ended':
    case 'action.overdue':
    case 'action.kill-due':
    case 'logs.drained':
    case 'logs.overdue':
      return null;
  }
}
