import type { OutputStream } from '../../../src/core/ports/task-processes.ts';
import { statusLineOf } from '../../../src/core/records/task-progress.ts';
import { withOutput } from '../../../src/core/records/task-output.ts';
import type { ExtensionName } from '../../../src/openjd/template/extensions.ts';
import type { AgentContext } from '../agent-system.ts';
import { actionOf, cancelAction } from './actions.ts';
import { LOG_LEVELS, parseDirective, readLine, type Directive, type LogLevel } from './directives.ts';
import type { SessionMessage } from './messages.ts';
import { HIDDEN_REST } from './redaction.ts';
import { sendProgress } from './report.ts';
import type { CurrentAttempt, RunningAction, SessionState } from './state.ts';

type SessionContext = AgentContext<'session'>;

const REDACTED_ENV_VARS: ExtensionName = 'REDACTED_ENV_VARS';
const NOT_DECLARED =
  'value redacted, variable not set: the template does not declare the extension REDACTED_ENV_VARS';
const DIRECTIVE_CUT = '[callsheet] the rest of this line is not logged: a directive has at most 64 KiB';
const TOO_MUCH_TO_HIDE = 'too many values to redact: all further output of the session is hidden';

/** Applies the directives of output lines and sends the redacted lines to the log. */
export function onActionOutput(
  state: SessionState,
  { run, batch }: Extract<SessionMessage, { type: 'action.output' }>,
  context: SessionContext,
): void {
  const action = actionOf(state, run);
  const { attempt, sessionId, log } = state;
  const before = progressKey(attempt);
  // The order of the two streams is unknown: these lines may already contain the value.
  for (const { line, isCut } of batch.hiding ?? []) readLine(line, isCut, state.redactor);
  const { stream, bytes } = batch;
  const cut = new Set(batch.cut);
  const logged = batch.lines.flatMap((line, nth): readonly LoggedLine[] =>
    cut.has(nth) || state.longLines[stream] !== null
      ? processPiece(state, action, { run, stream, line, isCut: cut.has(nth) }, context)
      : processLine(state, action, line, false, context).map((text) => ({ text, isCut: false })),
  );
  const lines = logged.map(({ text }) => text);
  if (attempt !== null) for (const line of lines) attempt.output.add(stream, line);
  const unended = logged.flatMap(({ isCut }, nth) => (isCut ? [nth] : []));
  context.send('shipper', log.attemptId, {
    type: 'logs.lines',
    taskId: log.taskId,
    sessionId,
    batch: { stream, lines, bytes, ...(unended.length > 0 && { cut: unended }) },
  });
  if (attempt !== null && progressKey(attempt) !== before) sendProgress(state, attempt, context);
}

const progressKey = (attempt: CurrentAttempt | null): string =>
  attempt === null ? 'null ' : `${String(attempt.progress)} ${attempt.statusMessage}`;

/** Logged text. With `isCut` the line continues. */
interface LoggedLine {
  readonly text: string;
  readonly isCut: boolean;
}

interface Piece {
  readonly run: number;
  readonly stream: OutputStream;
  readonly line: string;
  readonly isCut: boolean;
}

/**
 * Returns the logged text of a piece of a long line. Only the first piece can be a directive, which is too long then:
 * the rest of its line is not logged.
 */
function processPiece(
  state: SessionState,
  action: RunningAction | null,
  { run, stream, line, isCut }: Piece,
  context: SessionContext,
): readonly LoggedLine[] {
  const { longLines, redactor } = state;
  const known = longLines[stream];
  const isContinued = known?.run === run;
  if (!isContinued && (!isCut || parseDirective(line, isCut) !== null)) {
    longLines[stream] = isCut ? { run, isLogged: false, rest: HIDDEN_REST } : null;
    const texts = processLine(state, action, line, isCut, context);
    const isShown = isCut && texts.length > 0;
    return [...texts, ...(isShown ? [DIRECTIVE_CUT] : [])].map((text) => ({ text, isCut: false }));
  }
  const before = isContinued ? known.rest : null;
  const isLine = isContinued ? known.isLogged : isLogged('INFO', action?.logLevel ?? state.logLevel);
  const { shown, rest } = redactor.piece(line, before, !isCut);
  longLines[stream] = isCut ? { run, isLogged: isLine, rest } : null;
  return isLine && (shown !== '' || !isCut) ? [{ text: shown, isCut }] : [];
}

/**
 * Applies the directive of a line and returns its logged lines. `action` is null for output of processes that an action
 * left running.
 */
function processLine(
  state: SessionState,
  action: RunningAction | null,
  line: string,
  isCut: boolean,
  context: SessionContext,
): readonly string[] {
  const { directive, logged, level } = readLine(line, isCut, state.redactor);
  const least = action?.logLevel ?? state.logLevel;
  const note =
    directive === null || action === null ? null : applyDirective(state, action, directive, context);
  return [
    ...(isLogged(level, least) ? [logged] : []),
    ...(note !== null && isLogged('WARNING', least) ? [`[callsheet] openjd_redacted_env: ${note}`] : []),
  ];
}

const isLogged = (level: LogLevel, least: LogLevel): boolean =>
  LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);

/** Applies a directive. Returns a note for the log, or null. */
function applyDirective(
  state: SessionState,
  action: RunningAction,
  directive: Directive,
  context: SessionContext,
): string | null {
  const { attempt, redactor } = state;
  if ('hides' in directive && redactor.hidesAll) {
    fail(state, action, TOO_MUCH_TO_HIDE, context);
    return TOO_MUCH_TO_HIDE;
  }
  switch (directive.kind) {
    case 'progress':
      if (attempt !== null && action.kind !== 'exit') attempt.progress = directive.percent;
      return null;
    case 'status':
      if (attempt !== null && action.kind !== 'exit') attempt.statusMessage = statusLineOf(directive.text);
      return null;
    case 'fail':
      action.failText = directive.text;
      return null;
    case 'level':
      // Tasks share a session by chance, so a task's log level does not affect other tasks.
      if (action.kind === 'run') action.logLevel = directive.level;
      else state.logLevel = directive.level;
      return null;
    case 'malformed':
      fail(state, action, directive.reason, context);
      return null;
    case 'bad-redacted':
      if (setsRedacted(state, action)) return directive.reason;
      fail(state, action, directive.reason, context);
      return null;
    case 'redacted':
      if (!setsRedacted(state, action)) return NOT_DECLARED;
      changeVariable(state, action, directive.name, directive.value);
      return null;
    case 'set':
      changeVariable(state, action, directive.name, directive.value);
      return null;
    case 'unset':
      changeVariable(state, action, directive.name, null);
      return null;
    case 'output':
      if (attempt !== null && action.kind === 'run')
        attempt.outputs = withOutput(attempt.outputs, directive.path);
      return null;
    case 'bad-progress':
    case 'bad-output':
      return null;
  }
}

/** Cancels and fails the action. The first reason counts. */
function fail(state: SessionState, action: RunningAction, reason: string, context: SessionContext): void {
  action.directiveError ??= reason;
  cancelAction(state, action, context);
}

/** Reports whether the template of the action declares REDACTED_ENV_VARS. */
const setsRedacted = ({ step }: SessionState, { environment }: RunningAction): boolean =>
  (environment?.plan.extensions ?? step.extensions)?.includes(REDACTED_ENV_VARS) === true;

/** Sets a variable of the environment that is being entered. Ignored in other actions. */
function changeVariable(
  state: SessionState,
  action: RunningAction,
  name: string,
  value: string | null,
): void {
  if (action.kind === 'enter') state.entered.at(-1)?.directives.set(name, value);
}
