import type { AgentContext } from '../agent-system.ts';
import { actionOf, cancelAction, timeoutSecondsOf, verdictOf, type ActionVerdict } from './actions.ts';
import { advance, noteExitFailure, withActionName } from './advance.ts';
import type { SessionMessage } from './messages.ts';
import { reportRunning } from './report.ts';
import { taskSucceeded } from './staging.ts';
import type { RunningAction, SessionState } from './state.ts';

type SessionContext = AgentContext<'session'>;
type Message<Type extends SessionMessage['type']> = Extract<SessionMessage, { type: Type }>;

const SECOND_MS = 1000;

/** Reports the task as running when its first process has started. */
export function onActionStarted(
  state: SessionState,
  { run }: Message<'action.started'>,
  context: SessionContext,
): void {
  const action = actionOf(state, run);
  if (action === null) return;
  const { attempt } = state;
  if (attempt !== null) reportRunning(state, attempt, context);
  const seconds = timeoutSecondsOf(action);
  if (seconds !== null) context.after('timeout', seconds * SECOND_MS, { type: 'action.overdue', run });
}

export function onActionOverdue(
  state: SessionState,
  { run }: Message<'action.overdue'>,
  context: SessionContext,
): void {
  const action = actionOf(state, run);
  if (action === null || action.isStopping) return;
  action.hasTimedOut = true;
  cancelAction(state, action, context);
}

export function onActionKillDue(
  state: SessionState,
  { run }: Message<'action.kill-due'>,
  context: SessionContext,
): void {
  if (actionOf(state, run) === null) return;
  context.effect({ kind: 'kill-action', sessionId: state.sessionId, run });
}

export function onActionEnded(
  state: SessionState,
  { run, end, usage }: Message<'action.ended'>,
  context: SessionContext,
): void {
  const action = actionOf(state, run);
  if (action === null) return;
  state.action = null;
  context.cancelTimer('timeout');
  context.cancelTimer('kill');
  if (end.kind === 'fenced') {
    if (state.attempt?.result === null) state.stop ??= 'interrupted';
    state.isHurried = true;
  }
  const verdict = namedVerdict(action, verdictOf(action, end, usage));
  applyVerdict(state, action, verdict, { end, ...(usage !== undefined && { usage }) }, context);
  advance(state, context);
}

/** Adds the hook that ran instead of the action to the note of a failure. */
function namedVerdict({ wrapper }: RunningAction, verdict: ActionVerdict): ActionVerdict {
  return verdict.ok || wrapper === null ? verdict : { ...verdict, note: `${wrapper}: ${verdict.note}` };
}

/** Applies the end of an action to the result of the attempt, unless that is known already. */
function applyVerdict(
  state: SessionState,
  action: RunningAction,
  verdict: ActionVerdict,
  { end, usage }: Pick<Message<'action.ended'>, 'end' | 'usage'>,
  context: SessionContext,
): void {
  if (action.kind === 'exit') {
    const script = state.entered.pop()?.script;
    if (!verdict.ok && script !== undefined)
      noteExitFailure(state, withActionName(script, 'onExit', verdict.note), context);
    return;
  }
  const { attempt } = state;
  if (attempt?.result !== null || state.stop !== null) {
    if (attempt?.result?.status === 'canceled' && action.kind === 'run' && usage !== undefined)
      attempt.result = { ...attempt.result, usage };
    return;
  }
  const used = action.kind === 'run' && usage !== undefined ? { usage } : {};
  if (!verdict.ok) {
    const message =
      action.environment === null
        ? verdict.note
        : withActionName(action.environment, 'onEnter', verdict.note);
    const code = verdict.exitCode === undefined ? {} : { exitCode: verdict.exitCode };
    attempt.result = { status: 'failed', message, ...code, ...used };
  } else if (action.kind === 'run') {
    const exitCode = end.kind === 'exited' ? end.code : 0;
    taskSucceeded(state, attempt, { status: 'succeeded', message: '', exitCode, ...used });
  }
}
