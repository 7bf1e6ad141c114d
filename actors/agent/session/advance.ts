import { timestampOf } from '../../../src/core/timestamp.ts';
import type { ReportedStatus, StatusMessage } from '../../../src/core/wire/bus-messages.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-world.ts';
import type { SessionOutcome } from '../registrar/messages.ts';
import { startAction } from './actions.ts';
import { resolveVariables, type EnvironmentScript } from './scripts.ts';
import type { SessionState } from './state.ts';

type SessionContext = AgentContext<'session'>;

/**
 * Goes on with the session after each thing that has happened (session_behaviours.md, 1): environments are entered in order, the task
 * runs, environments are exited in reverse, also after a failure; then the session is closed and the end reported.
 */
export function advance(state: SessionState, context: SessionContext): void {
  while (state.action === null) {
    switch (state.phase) {
      case 'working':
        if (state.stop !== null || state.result !== null) state.phase = 'exiting';
        else if (state.tried < state.environments.length) enterNext(state, context);
        else runTask(state, context);
        break;
      case 'exiting':
        if (state.stop !== null || state.isHurried || state.entered.length === 0) close(state, context);
        else exitLast(state, context);
        break;
      case 'closing':
        if (!state.isClosed || !(state.isDrained || state.result === null)) return;
        end(state, context);
        break;
      case 'opening':
      case 'over':
        return;
    }
  }
}

function enterNext(state: SessionState, context: SessionContext): void {
  const script = state.environments[state.tried];
  state.tried++;
  if (script === undefined) return;
  const variables = resolveVariables(script);
  state.entered.push({ script, variables: variables.ok ? variables.value : {}, directives: new Map() });
  const { onEnter } = script.plan;
  const failure = !variables.ok
    ? variables.detail
    : onEnter === undefined
      ? null
      : startAction(state, 'enter', script, onEnter, context);
  if (failure !== null) {
    state.result = { status: 'failed', message: noteOf(script, 'onEnter', failure) };
  }
}

function runTask(state: SessionState, context: SessionContext): void {
  const failure = startAction(state, 'run', null, state.task.plan.onRun, context);
  if (failure !== null) state.result = { status: 'failed', message: failure };
}

/** The environment's variables hold for its own onExit, and no longer. */
function exitLast(state: SessionState, context: SessionContext): void {
  const script = state.entered.at(-1)?.script;
  const onExit = script?.plan.onExit;
  if (script === undefined || onExit === undefined) {
    state.entered.pop();
    return;
  }
  const failure = startAction(state, 'exit', script, onExit, context);
  if (failure === null) return;
  state.entered.pop();
  state.exitFailures.push(noteOf(script, 'onExit', failure));
}

/** Names the environment in front of what went wrong with it. */
export const noteOf = (script: EnvironmentScript, action: string, note: string): string =>
  `environment ${script.plan.name}, ${action}: ${note}`;

function close(state: SessionState, context: SessionContext): void {
  state.phase = 'closing';
  context.effect({ kind: 'close-session', attemptId: state.attemptId });
  context.send('shipper', state.attemptId, { type: 'logs.finish', taskId: state.assignment.task_id });
  context.after('drain', AGENT_LIMITS.logDrainMs, { type: 'logs.overdue' });
}

function end(state: SessionState, context: SessionContext): void {
  const { attemptId, result } = state;
  state.phase = 'over';
  let outcome: SessionOutcome;
  if (result === null) {
    outcome = state.stop === 'void' ? 'closed' : 'interrupted';
    context.send('outbox', 'outbox', { type: 'report.void', attemptId });
  } else {
    outcome = 'reported';
    const message = [result.message, ...state.exitFailures].filter((text) => text !== '').join('; ');
    const exitCode = result.exitCode === undefined ? {} : { exit_code: result.exitCode };
    const report = { ...reportOf(state, result.status, context), ...exitCode };
    context.send('outbox', 'outbox', {
      type: 'report.keep',
      report:
        message === ''
          ? report
          : { ...report, message: message.slice(0, AGENT_LIMITS.reportMessageCharacters) },
    });
  }
  context.effect({ kind: 'unfollow-cancels', taskId: state.assignment.task_id });
  context.send('registrar', 'registrar', { type: 'session.over', attemptId, outcome });
}

export function reportOf(
  state: SessionState,
  status: ReportedStatus,
  context: SessionContext,
): StatusMessage {
  return {
    v: 1,
    task_id: state.assignment.task_id,
    attempt_id: state.attemptId,
    worker_id: state.workerId,
    status,
    timestamp: timestampOf(context.now),
    session_id: state.sessionId,
  };
}
