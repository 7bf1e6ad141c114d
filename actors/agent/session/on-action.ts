import type { AgentContext } from '../agent-world.ts';
import { cancelAction, timeoutSecondsOf, verdictOf } from './actions.ts';
import { advance, noteExitFailure, noteOf, reportOf } from './advance.ts';
import { BAD_PROGRESS_NOTE, parseDirective, type Directive } from './directives.ts';
import type { SessionMessage } from './messages.ts';
import type { RunningAction, SessionState } from './state.ts';

type SessionContext = AgentContext<'session'>;
type Message<Type extends SessionMessage['type']> = Extract<SessionMessage, { type: Type }>;

const SECOND_MS = 1000;

/** The first process that is started for a task makes it running. */
export function onActionStarted(
  state: SessionState,
  { run }: Message<'action.started'>,
  context: SessionContext,
): void {
  const action = actionOf(state, run);
  if (action === null) return;
  action.isStarted = true;
  const { attempt } = state;
  if (attempt?.isReportedRunning === false) {
    attempt.isReportedRunning = true;
    const report = reportOf(state, attempt, 'running', context);
    context.send('outbox', 'outbox', { type: 'report.running', report });
  }
  const seconds = timeoutSecondsOf(action);
  if (seconds !== null) context.after('timeout', seconds * SECOND_MS, { type: 'action.overdue', run });
}

export function onActionOutput(
  state: SessionState,
  { run, batch }: Message<'action.output'>,
  context: SessionContext,
): void {
  const action = actionOf(state, run);
  const lines = action === null ? batch.lines : batch.lines.map((line) => obey(state, action, line, context));
  const { sessionId, log } = state;
  context.send('shipper', log.attemptId, {
    type: 'logs.lines',
    taskId: log.taskId,
    sessionId,
    batch: { ...batch, lines },
  });
}

/** Does what the line asks for, and gives the line as it is logged. */
function obey(state: SessionState, action: RunningAction, line: string, context: SessionContext): string {
  const directive = parseDirective(line);
  if (directive === null) return line;
  switch (directive.kind) {
    case 'progress':
      context.log('debug', 'progress', {
        attempt_id: state.log.attemptId,
        percent: String(directive.percent),
      });
      return line;
    case 'status':
      context.log('debug', 'status', { attempt_id: state.log.attemptId, status: directive.text });
      return line;
    case 'bad-progress':
      return line + BAD_PROGRESS_NOTE;
    case 'fail':
      action.failText = directive.text;
      return line;
    case 'malformed':
      action.directiveError ??= directive.reason;
      cancelAction(state, action, context);
      return line;
    case 'set':
    case 'unset':
    case 'redacted':
      if (action.kind === 'enter') changeVariable(state, directive);
      return line;
  }
}

/** Variables belong to the environment that is being entered. */
function changeVariable(
  state: SessionState,
  directive: Extract<Directive, { kind: 'set' | 'unset' | 'redacted' }>,
): void {
  const directives = state.entered.at(-1)?.directives;
  if (directive.kind === 'set') directives?.set(directive.name, directive.value);
  else if (directive.kind === 'unset') directives?.set(directive.name, null);
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
  { run, end }: Message<'action.ended'>,
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
  note(state, action, verdictOf(action, end), end.kind === 'exited' ? end.code : null, context);
  advance(state, context);
}

/** What the end of an action means for the end of the attempt: nothing once that is known. */
function note(
  state: SessionState,
  action: RunningAction,
  verdict: ReturnType<typeof verdictOf>,
  exitCode: number | null,
  context: SessionContext,
): void {
  if (action.kind === 'exit') {
    const script = state.entered.pop()?.script;
    if (!verdict.ok && script !== undefined)
      noteExitFailure(state, noteOf(script, 'onExit', verdict.note), context);
    return;
  }
  const { attempt } = state;
  if (attempt?.result !== null || state.stop !== null) return;
  if (!verdict.ok) {
    const message =
      action.environment === null ? verdict.note : noteOf(action.environment, 'onEnter', verdict.note);
    const code = verdict.exitCode === undefined ? {} : { exitCode: verdict.exitCode };
    attempt.result = { status: 'failed', message, ...code };
  } else if (action.kind === 'run') {
    attempt.result = { status: 'succeeded', message: '', exitCode: exitCode ?? 0 };
  }
}

/** The running action when it is this one. Word of an earlier one is late. */
function actionOf(state: SessionState, run: number): RunningAction | null {
  return state.action?.run === run ? state.action : null;
}
