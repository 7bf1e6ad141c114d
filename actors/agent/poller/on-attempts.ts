import type { AttemptId } from '../../../src/core/ids.ts';
import type { AgentContext } from '../agent-system.ts';
import type { AttemptOutcome } from '../registrar/messages.ts';
import type { SessionMessage } from '../session/messages.ts';
import { releaseAttempts } from './assignments.ts';
import type { PollerMessage } from './messages.ts';
import { endIdleSessions, sessionOf, notifyAllSessionsEnded } from './session-pool.ts';
import type { PollerState } from './state.ts';

type PollerContext = AgentContext<'poller'>;
type Message<Type extends PollerMessage['type']> = Extract<PollerMessage, { type: Type }>;

/** Handles shutdown: ends idle sessions and gives back attempts that were not started. */
export function onPollerLeave(state: PollerState, _message: unknown, context: PollerContext): void {
  state.isLeaving = true;
  state.registration = null;
  context.send('outbox', 'outbox', { type: 'piggyback.enabled', isEnabled: false });
  releaseAttempts(state, [...state.awaitingConfirmation.keys()], context);
  dropQueued(state, context);
  endIdleSessions(state, context);
  notifyAllSessionsEnded(state, context);
}

/** Stops the tasks. Their sessions end through their exits. */
export function onAttemptsStop(
  state: PollerState,
  { graceMs }: Message<'attempts.stop'>,
  context: PollerContext,
): void {
  dropQueued(state, context);
  for (const id of state.sessions.keys()) context.send('session', id, { type: 'session.stop', graceMs });
}

/** Stops everything: running tasks, queued ones, and idle sessions. */
export function onAttemptsInterrupt(
  state: PollerState,
  { graceMs }: Message<'attempts.interrupt'>,
  context: PollerContext,
): void {
  dropQueued(state, context);
  for (const [id, session] of state.sessions) {
    session.isIdle = false;
    context.send('session', id, { type: 'session.interrupt', graceMs });
  }
}

/** Stops an attempt that the service has closed. */
export function onAttemptRevoked(
  state: PollerState,
  { attemptId }: Message<'attempt.revoked'>,
  context: PollerContext,
): void {
  forwardToSession(state, { type: 'session.revoke', attemptId }, context);
}

/** Cancels an attempt that the service has canceled and thereby closed. */
export function onAttemptCancel(
  state: PollerState,
  { attemptId, reason }: Message<'attempt.cancel'>,
  context: PollerContext,
): void {
  forwardToSession(state, { type: 'session.cancel', attemptId, reason }, context);
}

/** Forwards the message to the session that runs the attempt. An attempt that has not started is dropped. */
function forwardToSession(
  state: PollerState,
  message: Extract<SessionMessage, { type: 'session.revoke' | 'session.cancel' }>,
  context: PollerContext,
): void {
  const { attemptId } = message;
  const session = sessionOf(state, attemptId);
  if (session === null) dropUnstarted(state, attemptId, 'closed', context);
  else context.send('session', session, message);
}

function dropQueued(state: PollerState, context: PollerContext): void {
  for (const attemptId of [...state.queued.keys()]) dropUnstarted(state, attemptId, 'interrupted', context);
}

/** Drops an attempt that waits for an earlier one of its task or for confirmation. */
function dropUnstarted(
  state: PollerState,
  attemptId: AttemptId,
  outcome: AttemptOutcome,
  context: PollerContext,
): void {
  const wasQueued = state.queued.delete(attemptId);
  const wasAwaiting = state.awaitingConfirmation.delete(attemptId);
  if (wasQueued || wasAwaiting)
    context.send('registrar', 'registrar', { type: 'attempt.over', attemptId, outcome });
}
