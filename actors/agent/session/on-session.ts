import type { AttemptId } from '../../../src/core/ids.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-world.ts';
import { cancelAction, interruptAction } from './actions.ts';
import { advance } from './advance.ts';
import type { SessionMessage } from './messages.ts';
import { environmentScripts, taskScript } from './scripts.ts';
import type { SessionState } from './state.ts';

type SessionContext = AgentContext<'session'>;
type Message<Type extends SessionMessage['type']> = Extract<SessionMessage, { type: Type }>;

/** A session for an assignment, not yet begun. */
export function newSession(
  { assignment, step, workerId }: Message<'session.begin'>,
  sessionsDirectory: string,
  context: SessionContext,
): SessionState {
  const sessionId = context.newId();
  const directory = `${sessionsDirectory}/${sessionId}`;
  const newName = (): string => context.newId();
  return {
    attemptId: assignment.attempt_id,
    workerId,
    sessionId,
    directory,
    assignment,
    step,
    environments: environmentScripts(step, directory, newName),
    task: taskScript(assignment, step, directory, newName),
    phase: 'opening',
    tried: 0,
    entered: [],
    action: null,
    runs: 0,
    isReportedRunning: false,
    result: null,
    exitFailures: [],
    stop: null,
    isHurried: false,
    isClosed: false,
    isDrained: false,
  };
}

export function onSessionBegin(state: SessionState, _message: unknown, context: SessionContext): void {
  context.effect({ kind: 'follow-cancels', taskId: state.assignment.task_id });
  context.effect({ kind: 'open-session', attemptId: state.attemptId, directory: state.directory });
}

export function onSessionOpened(
  state: SessionState,
  { failure }: Message<'session.opened'>,
  context: SessionContext,
): void {
  state.phase = 'working';
  if (failure !== null) state.result ??= { status: 'failed', message: failure };
  advance(state, context);
}

/** A cancel by the service. One that comes when the end is known changes nothing. */
export function onSessionCancel(
  state: SessionState,
  { reason }: Message<'session.cancel'>,
  context: SessionContext,
): void {
  if (state.result !== null || state.stop !== null) return;
  state.result = { status: 'canceled', message: reason };
  if (state.action !== null) cancelAction(state, state.action, context);
}

/** The service has closed the attempt: the task may run elsewhere by now. A session that is being canceled or is done goes its way. */
export function onSessionVoid(state: SessionState, _message: unknown, context: SessionContext): void {
  if (state.result !== null || state.stop !== null) return;
  context.log('warn', 'the service has closed an attempt that runs here; it is stopped', {
    attempt_id: state.attemptId,
  });
  state.stop = 'void';
  if (state.action !== null) interruptAction(state, state.action, AGENT_LIMITS.fenceGraceMs, context);
}

/** The worker stops what it has. A task that has ended keeps its result; what is left of its exits is skipped. */
export function onSessionInterrupt(
  state: SessionState,
  { graceMs }: Message<'session.interrupt'>,
  context: SessionContext,
): void {
  if (state.phase === 'closing' || state.phase === 'over') return;
  if (state.result === null) state.stop ??= 'interrupted';
  state.isHurried = true;
  if (state.action !== null) interruptAction(state, state.action, graceMs, context);
}

/**
 * Word of a session that is not here: its state was lost with a handler that threw. Its processes are ended, and the attempt is given back.
 */
export function giveBackLost(attemptId: AttemptId, context: SessionContext): void {
  context.effect({ kind: 'close-session', attemptId });
  context.send('outbox', 'outbox', { type: 'report.void', attemptId });
  context.send('registrar', 'registrar', { type: 'session.over', attemptId, outcome: 'interrupted' });
}
