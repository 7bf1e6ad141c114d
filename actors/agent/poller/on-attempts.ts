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

/** The worker leaves: idle sessions end, and what was not begun is given back. */
export function onPollerLeave(state: PollerState, _message: unknown, context: PollerContext): void {
  state.isLeaving = true;
  state.registration = null;
  context.send('outbox', 'outbox', { type: 'piggyback.enabled', areAllowed: false });
  releaseAttempts(state, [...state.awaitingConfirmation.keys()], context);
  dropQueued(state, context);
  endIdleSessions(state, context);
  notifyAllSessionsEnded(state, context);
}

/** The tasks stop, and their sessions end through their exits. */
export function onAttemptsStop(
  state: PollerState,
  { graceMs }: Message<'attempts.stop'>,
  context: PollerContext,
): void {
  dropQueued(state, context);
  for (const id of state.sessions.keys()) context.send('session', id, { type: 'session.stop', graceMs });
}

/** Everything stops: what runs, what waits for it, and sessions that have no task. */
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

/** The service has closed the attempt: it stops, or is never begun. */
export function onAttemptVoid(
  state: PollerState,
  { attemptId }: Message<'attempt.revoked'>,
  context: PollerContext,
): void {
  tellClosed(state, { type: 'session.revoke', attemptId }, context);
}

/** The service has canceled the attempt, and has closed it with that. */
export function onAttemptCancel(
  state: PollerState,
  { attemptId, reason }: Message<'attempt.cancel'>,
  context: PollerContext,
): void {
  tellClosed(state, { type: 'session.cancel', attemptId, reason }, context);
}

/** The session that runs the closed attempt is told. One that waits is never begun. */
function tellClosed(
  state: PollerState,
  message: Extract<SessionMessage, { type: 'session.revoke' | 'session.cancel' }>,
  context: PollerContext,
): void {
  const { attemptId } = message;
  const session = sessionOf(state, attemptId);
  if (session === null) dropUnbegun(state, attemptId, 'closed', context);
  else context.send('session', session, message);
}

function dropQueued(state: PollerState, context: PollerContext): void {
  for (const attemptId of [...state.queued.keys()]) dropUnbegun(state, attemptId, 'interrupted', context);
}

/** An attempt that waits for an earlier one of its task, or for the word of the service, is not begun. */
function dropUnbegun(
  state: PollerState,
  attemptId: AttemptId,
  outcome: AttemptOutcome,
  context: PollerContext,
): void {
  const wasQueued = state.queued.delete(attemptId);
  const wasDoubted = state.awaitingConfirmation.delete(attemptId);
  if (wasQueued || wasDoubted)
    context.send('registrar', 'registrar', { type: 'attempt.over', attemptId, outcome });
}
