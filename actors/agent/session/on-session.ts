import { OutputTail } from '../../../src/core/failure/failure-excerpt.ts';
import { deliver } from '../../../src/core/delivery/delivered-paths.ts';
import type { SessionId } from '../../../src/core/ids.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentSettings } from '../agent-settings.ts';
import type { AgentContext } from '../agent-system.ts';
import { cancelAction, interruptAction } from './actions.ts';
import { advance, finishLog } from './advance.ts';
import type { SessionMessage, SessionTask } from './messages.ts';
import { Redactor } from './redaction.ts';
import { environmentScripts, taskScript, type ScriptLocation } from './scripts.ts';
import { runAsOf } from './run-as.ts';
import { newStaging, stopStaging } from './staging.ts';
import type { CurrentAttempt, LogOwner, SessionState } from './state.ts';
import { wrapFault } from './wrapping.ts';

type SessionContext = AgentContext<'session'>;
type Message<Type extends SessionMessage['type']> = Extract<SessionMessage, { type: Type }>;

export type SessionSettings = Pick<
  AgentSettings,
  'sessionsDirectory' | 'keepsSessions' | 'exprLimits' | 'regex'
>;

/** Returns a new session for the first task of its step. */
export function newSession(
  sessionId: SessionId,
  { step, mapping, task }: Message<'session.begin'>,
  { sessionsDirectory, keepsSessions, exprLimits, regex }: SessionSettings,
  context: SessionContext,
): SessionState {
  const directory = `${sessionsDirectory}/${sessionId}`;
  const { deliveries, extensions, job_parameters: parameters } = step;
  const paths = deliver({ mapping, deliveries, extensions, parameters, directory });
  const expressions = { limits: exprLimits, regex };
  const place = { step, directory, delivered: paths, expressions, newName: () => context.newId() };
  return {
    sessionId,
    directory,
    keepsDirectory: keepsSessions,
    step,
    gpus: task.assignment.gpus ?? [],
    redactor: new Redactor(),
    longLines: { stdout: null, stderr: null },
    logLevel: 'INFO',
    expressions,
    environments: environmentScripts(place),
    paths,
    staging: newStaging(),
    phase: 'opening',
    attempt: attemptOf(task, place),
    log: logOf(task),
    tried: 0,
    entered: [],
    action: null,
    runs: 0,
    exitFailures: [],
    stop: null,
    isHurried: false,
    isClosed: false,
  };
}

export function onSessionBegin(
  state: SessionState,
  { task }: Message<'session.begin'>,
  context: SessionContext,
): void {
  const { sessionId, directory, step } = state;
  const runAs = runAsOf(step);
  const request = { memoryMib: step.memory_mib ?? null, cores: task.assignment.cores };
  context.effect({ kind: 'follow-cancels', taskId: task.assignment.task_id });
  context.effect({ kind: 'open-session', sessionId, opening: { directory, runAs, request } });
}

/** Starts the next task in an idle session. Later output belongs to the log of this task. */
export function onSessionTask(
  state: SessionState,
  { task }: Message<'session.task'>,
  context: SessionContext,
): void {
  if (state.phase !== 'idle') throw new Error(`session got a task in phase ${state.phase}`);
  finishLog(state, context);
  const { step, directory, paths, expressions } = state;
  state.attempt = attemptOf(task, {
    step,
    directory,
    delivered: paths,
    expressions,
    newName: () => context.newId(),
  });
  state.log = logOf(task);
  state.phase = 'working';
  context.effect({ kind: 'follow-cancels', taskId: task.assignment.task_id });
  advance(state, context);
}

/** Ends an idle session. A session that is not idle any more ends by itself. */
export function onSessionEnd(state: SessionState, _message: unknown, context: SessionContext): void {
  if (state.phase !== 'idle') return;
  state.phase = 'exiting';
  advance(state, context);
}

export function onSessionOpened(
  state: SessionState,
  { failure }: Message<'session.opened'>,
  context: SessionContext,
): void {
  state.phase = 'working';
  const message = failure ?? state.paths.fault ?? wrapFault(state.environments);
  if (message !== null && state.attempt !== null) state.attempt.result ??= { status: 'failed', message };
  advance(state, context);
}

/** Cancels the attempt for the service, unless its result is known. */
export function onSessionCancel(
  state: SessionState,
  { attemptId, reason }: Message<'session.cancel'>,
  context: SessionContext,
): void {
  const attempt = openAttempt(state, attemptId);
  if (attempt === null) return;
  attempt.result = { status: 'canceled', message: reason };
  if (state.action !== null) cancelAction(state, state.action, context);
  stopStaging(state, context);
}

/**
 * Stops an attempt that the service has closed: the task may run elsewhere by now. No effect if the attempt is being
 * canceled or has a result.
 */
export function onSessionRevoke(
  state: SessionState,
  { attemptId }: Message<'session.revoke'>,
  context: SessionContext,
): void {
  if (openAttempt(state, attemptId) === null) return;
  context.log('warn', 'the service has closed a running attempt; stopping it', {
    attempt_id: attemptId,
  });
  state.stop = 'revoked';
  if (state.action !== null) interruptAction(state, state.action, AGENT_LIMITS.fenceGraceMs, context);
  stopStaging(state, context);
}

/**
 * Stops the task after the drain timeout. A task that has ended keeps its result. Environments are exited either way.
 */
export function onSessionStop(
  state: SessionState,
  { graceMs }: Message<'session.stop'>,
  context: SessionContext,
): void {
  const { attempt, action } = state;
  if (attempt?.result !== null || state.stop !== null) return;
  state.stop = 'interrupted';
  if (action !== null) interruptAction(state, action, graceMs, context);
  stopStaging(state, context);
}

/** Stops everything. A task that has ended keeps its result. Remaining exits are skipped. */
export function onSessionInterrupt(
  state: SessionState,
  { graceMs }: Message<'session.interrupt'>,
  context: SessionContext,
): void {
  if (state.phase === 'closing' || state.phase === 'ended') return;
  if (state.attempt?.result === null) state.stop ??= 'interrupted';
  state.isHurried = true;
  if (state.action !== null) interruptAction(state, state.action, graceMs, context);
  stopStaging(state, context);
  advance(state, context);
}

/**
 * Handles any message to a session whose state was lost because a handler threw: ends its processes and gives its
 * attempt back.
 */
export function returnLostAttempt(sessionId: SessionId, context: SessionContext): void {
  context.effect({ kind: 'forget-staging', sessionId });
  context.effect({ kind: 'close-session', sessionId, closing: { keepDirectory: false } });
  context.send('poller', 'poller', { type: 'session.lost', sessionId });
}

/** Returns the attempt if it is the current one, has no result and is not being stopped. */
function openAttempt(state: SessionState, attemptId: string): CurrentAttempt | null {
  const { attempt } = state;
  const isOpen = attempt?.assignment.attempt_id === attemptId && attempt.result === null;
  return isOpen && state.stop === null ? attempt : null;
}

const attemptOf = (task: SessionTask, place: ScriptLocation): CurrentAttempt => ({
  ...task,
  script: taskScript(task.assignment, place),
  isReportedRunning: false,
  startedAt: null,
  output: new OutputTail(),
  progress: null,
  statusMessage: '',
  outputs: [],
  outcome: null,
  result: null,
  isDrained: false,
});

const logOf = ({ assignment }: SessionTask): LogOwner => ({
  attemptId: assignment.attempt_id,
  taskId: assignment.task_id,
});
