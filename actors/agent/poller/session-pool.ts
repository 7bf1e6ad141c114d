import type { PathMapping } from '../../../src/core/delivery/path-map.ts';
import {
  sessionId as sessionIdOf,
  type AttemptId,
  type SessionId,
  type StepId,
} from '../../../src/core/ids.ts';
import type { Assignment, StepAssignment } from '../../../src/core/wire/bus-messages.ts';
import type { AgentContext } from '../agent-system.ts';
import type { PollerMessage, Registration } from './messages.ts';
import type { PollerState, WaitingAssignment, PooledSession } from './state.ts';

type PollerContext = AgentContext<'poller'>;
type Message<Type extends PollerMessage['type']> = Extract<PollerMessage, { type: Type }>;

/** Dispatches the task to an idle session of its step, or to a new one. */
export function dispatchToSession(
  state: PollerState,
  { assignment, step, mapping, terms }: WaitingAssignment,
  { workerId }: Registration,
  context: PollerContext,
): void {
  const { attempt_id: attemptId, step_id: stepId } = assignment;
  const task = { assignment, workerId, isLast: step.ready_left === 0 };
  const idle = idleSession(state, stepId, terms);
  const id = idle ?? sessionIdOf(context.newId());
  state.sessions.set(id, { stepId, terms, attemptId, isIdle: false });
  if (idle === null) {
    context.send('session', id, { type: 'session.begin', step, mapping, task });
  } else {
    context.cancelTimer(lingerTimer(id));
    context.send('session', id, { type: 'session.task', task });
  }
}

/** Marks a session as idle. It ends if no task follows within `lingerMs`. */
export const onSessionIdle =
  (lingerMs: number) =>
  (state: PollerState, { sessionId }: Message<'session.idle'>, context: PollerContext): void => {
    const session = state.sessions.get(sessionId);
    if (session === undefined) return;
    session.attemptId = null;
    session.isIdle = true;
    if (state.isLeaving) endIdle(sessionId, session, context);
    else context.after(lingerTimer(sessionId), lingerMs, { type: 'session.idle-timeout', sessionId });
  };

export function onIdleTimeout(
  state: PollerState,
  { sessionId }: Message<'session.idle-timeout'>,
  context: PollerContext,
): void {
  const session = state.sessions.get(sessionId);
  if (session?.isIdle === true) endIdle(sessionId, session, context);
}

/** Removes a session that has ended. Its attempt sends `attempt.over` itself. */
export function onSessionEnded(
  state: PollerState,
  { sessionId }: Message<'session.ended'>,
  context: PollerContext,
): void {
  context.cancelTimer(lingerTimer(sessionId));
  state.sessions.delete(sessionId);
  notifyAllSessionsEnded(state, context);
}

/** Removes a lost session and gives its attempt back. */
export function onSessionLost(
  state: PollerState,
  { sessionId }: Message<'session.lost'>,
  context: PollerContext,
): void {
  const attemptId = state.sessions.get(sessionId)?.attemptId ?? null;
  onSessionEnded(state, { type: 'session.ended', sessionId }, context);
  if (attemptId === null) return;
  context.send('outbox', 'outbox', { type: 'report.discard', attemptId });
  context.send('registrar', 'registrar', { type: 'attempt.over', attemptId, outcome: 'interrupted' });
}

/** Handles a step without ready tasks: its sessions end after their current task. */
export function onStepExhausted(state: PollerState, stepId: StepId, context: PollerContext): void {
  for (const [id, session] of state.sessions) {
    if (session.stepId !== stepId) continue;
    if (session.isIdle) endIdle(id, session, context);
    else if (session.attemptId !== null) context.send('session', id, { type: 'session.last' });
  }
}

/** Returns the session that runs the attempt, or null. */
export function sessionOf(state: PollerState, attemptId: AttemptId): SessionId | null {
  for (const [id, session] of state.sessions) if (session.attemptId === attemptId) return id;
  return null;
}

export function endIdleSessions(state: PollerState, context: PollerContext): void {
  for (const [id, session] of state.sessions) if (session.isIdle) endIdle(id, session, context);
}

/** Notifies the registrar at shutdown when no session is left. */
export function notifyAllSessionsEnded(state: PollerState, context: PollerContext): void {
  if (state.isLeaving && state.sessions.size === 0) {
    context.send('registrar', 'registrar', { type: 'sessions.ended' });
  }
}

function endIdle(id: SessionId, session: PooledSession, context: PollerContext): void {
  session.isIdle = false;
  context.cancelTimer(lingerTimer(id));
  context.send('session', id, { type: 'session.end' });
}

function idleSession(state: PollerState, stepId: StepId, terms: string): SessionId | null {
  for (const [id, session] of state.sessions) {
    if (session.isIdle && session.stepId === stepId && session.terms === terms) return id;
  }
  return null;
}

/**
 * Returns the key of session reuse: the data that all tasks of the step share, without what changes per reply, and the
 * path mapping.
 */
export const sessionReuseKey = (step: StepAssignment, mapping: PathMapping | null): string =>
  JSON.stringify([{ ...step, ready_left: undefined }, mapping]);

/** Returns the key of session reuse of one task. The processes of a session stay on its GPUs. */
export const taskReuseKey = (ofStep: string, { gpus }: Pick<Assignment, 'gpus'>): string =>
  gpus === undefined ? ofStep : `${ofStep} ${gpus.join(',')}`;

const lingerTimer = (id: SessionId): string => `linger ${id}`;
