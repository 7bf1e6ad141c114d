import type { NamedPath } from '../../../src/openjd/template/path-values.ts';
import { outputSearches } from '../../../src/core/previews/declared-outputs.ts';
import { EXCERPT_LIMITS } from '../../../src/core/failure/failure-excerpt.ts';
import type { AttemptId } from '../../../src/core/ids.ts';
import type { StatusMessage } from '../../../src/core/wire/bus-messages.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { WrittenOutput } from '../../../src/core/ports/previews.ts';
import type { AgentContext } from '../agent-system.ts';
import type { AttemptOutcome } from '../registrar/messages.ts';
import { usageFields } from '../../../src/core/wire/usage-fields.ts';
import { WIRE_LIMITS } from '../../../src/core/wire/limits.ts';
import { startAction } from './actions.ts';
import { namedOutputs, reportOf, reportRunning, resetProgress, writtenOutputs } from './report.ts';
import { runAsOf } from './run-as.ts';
import { resolveVariables, type EnvironmentScript } from './scripts.ts';
import { forgetStaging, needsStageIn, stageIn, stageOut } from './staging.ts';
import type { CurrentAttempt, SessionResult, SessionState } from './state.ts';

type SessionContext = AgentContext<'session'>;

/**
 * Advances the session as far as possible after each event (docs/contract/sessions.md#order-of-a-session). Environments
 * are entered in order, tasks run one after another, and environments are exited in reverse order, also after a
 * failure. The end of a task is reported at once if another task may follow. The last one is reported after the exits,
 * when no process of the session runs any more.
 */
export function advance(state: SessionState, context: SessionContext): void {
  while (state.action === null && state.staging.underWay === null) {
    switch (state.phase) {
      case 'working':
        continueWork(state, context);
        break;
      case 'reporting':
        if (state.isHurried) state.phase = 'exiting';
        else if (state.attempt?.isDrained !== true) return;
        else becomeIdle(state, state.attempt, context);
        break;
      case 'idle':
        if (!state.isHurried) return;
        state.phase = 'exiting';
        break;
      case 'exiting':
        if (state.stop === 'revoked' || state.isHurried || state.entered.length === 0) close(state, context);
        else exitLast(state, context);
        break;
      case 'closing':
        if (!isReadyToEnd(state)) return;
        end(state, context);
        break;
      case 'opening':
      case 'ended':
        return;
    }
  }
}

function continueWork(state: SessionState, context: SessionContext): void {
  const { attempt } = state;
  if (attempt === null || state.stop !== null || state.isHurried) state.phase = 'exiting';
  else if (attempt.result === null) {
    if (attempt.outcome !== null) stageOut(state, context);
    else if (needsStageIn(state)) {
      reportRunning(state, attempt, context);
      stageIn(state, context);
    } else if (state.tried < state.environments.length) enterNext(state, attempt, context);
    else runTask(state, attempt, context);
  } else if (attempt.result.status !== 'succeeded' || attempt.isLast) state.phase = 'exiting';
  else {
    state.phase = 'reporting';
    drainLog(state, context);
  }
}

function enterNext(state: SessionState, attempt: CurrentAttempt, context: SessionContext): void {
  const script = state.environments[state.tried];
  state.tried++;
  if (script === undefined) return;
  const variables = resolveVariables(script);
  state.entered.push({ script, variables: variables.ok ? variables.value : {}, directives: new Map() });
  const { onEnter } = script.plan;
  resetProgress(state, context);
  const failure = !variables.ok
    ? variables.detail
    : onEnter === undefined
      ? null
      : startAction(state, 'enter', script, script, onEnter, context);
  if (failure !== null) {
    attempt.result = { status: 'failed', message: withActionName(script, 'onEnter', failure) };
  }
}

function runTask(state: SessionState, attempt: CurrentAttempt, context: SessionContext): void {
  resetProgress(state, context);
  const failure = startAction(state, 'run', attempt.script, null, attempt.script.plan.onRun, context);
  if (failure !== null) attempt.result = { status: 'failed', message: failure };
}

/** The environment's variables are removed after its own onExit. */
function exitLast(state: SessionState, context: SessionContext): void {
  const script = state.entered.at(-1)?.script;
  const onExit = script?.plan.onExit;
  if (script === undefined || onExit === undefined) {
    state.entered.pop();
    return;
  }
  const failure = startAction(state, 'exit', script, script, onExit, context);
  if (failure === null) return;
  state.entered.pop();
  noteExitFailure(state, withActionName(script, 'onExit', failure), context);
}

/** Adds the environment and action to an error text. */
export const withActionName = (script: EnvironmentScript, action: string, note: string): string =>
  `environment ${script.plan.name}, ${action}: ${note}`;

/**
 * Records a failure of onExit, which changes no result. It is added to the report of the attempt or, if that was sent
 * already, to its log.
 */
export function noteExitFailure(state: SessionState, note: string, context: SessionContext): void {
  context.effect({ kind: 'exit-failed', sessionId: state.sessionId });
  if (state.attempt !== null) {
    state.exitFailures.push(note);
    return;
  }
  const { attemptId, taskId } = state.log;
  const redacted = state.redactor.text(note);
  context.log('warn', redacted, { attempt_id: attemptId, session_id: state.sessionId });
  context.send('shipper', attemptId, {
    type: 'logs.lines',
    taskId,
    sessionId: state.sessionId,
    batch: { stream: 'stderr', lines: [`[callsheet] ${redacted}`], bytes: 0 },
  });
}

/** Reports the end of the attempt. The session waits for the next task. */
function becomeIdle(state: SessionState, attempt: CurrentAttempt, context: SessionContext): void {
  context.cancelTimer('drain');
  context.send('poller', 'poller', { type: 'session.idle', sessionId: state.sessionId });
  endAttempt(state, attempt, context);
  state.phase = 'idle';
}

function drainLog({ sessionId, log }: SessionState, context: SessionContext): void {
  const { attemptId, taskId } = log;
  context.send('shipper', attemptId, { type: 'logs.drain', taskId, sessionId });
  waitForLog(attemptId, context);
}

/** Limits how long the report of the attempt waits for its logs. */
function waitForLog(attemptId: AttemptId, context: SessionContext): void {
  context.after('drain', AGENT_LIMITS.logDrainMs, { type: 'logs.overdue', attemptId });
}

function close(state: SessionState, context: SessionContext): void {
  state.phase = 'closing';
  const { sessionId, keepsDirectory, attempt } = state;
  forgetStaging(state, context);
  context.effect({ kind: 'close-session', sessionId, closing: { keepDirectory: keepsDirectory } });
  finishLog(state, context);
  if (attempt === null) return;
  attempt.isDrained = false;
  waitForLog(state.log.attemptId, context);
}

/** Ends the log that the session writes to. */
export function finishLog({ sessionId, log }: SessionState, context: SessionContext): void {
  context.send('shipper', log.attemptId, { type: 'logs.finish', taskId: log.taskId, sessionId });
}

/** Reports whether no process of the session runs and the logs before a report are stored. */
function isReadyToEnd({ isClosed, attempt }: SessionState): boolean {
  return isClosed && (attempt === null || attempt.result === null || attempt.isDrained);
}

function end(state: SessionState, context: SessionContext): void {
  state.phase = 'ended';
  context.send('poller', 'poller', { type: 'session.ended', sessionId: state.sessionId });
  if (state.attempt !== null) endAttempt(state, state.attempt, context);
}

function endAttempt(state: SessionState, attempt: CurrentAttempt, context: SessionContext): void {
  const { result } = attempt;
  const { attempt_id: attemptId, task_id: taskId } = attempt.assignment;
  state.attempt = null;
  let outcome: AttemptOutcome;
  if (result === null) {
    outcome = state.stop === 'revoked' ? 'closed' : 'interrupted';
    context.send('outbox', 'outbox', { type: 'report.discard', attemptId });
  } else {
    outcome = 'reported';
    const outputs = writtenOutputs(state, attempt);
    const notes = [result.message, ...state.exitFailures].filter((text) => text !== '');
    const message = state.redactor.text(notes.join('; '));
    const exitCode = result.exitCode === undefined ? {} : { exit_code: result.exitCode };
    const used = result.usage === undefined ? {} : usageFields(result.usage);
    const report = {
      ...reportOf(state, attempt, result.status, context),
      ...exitCode,
      ...used,
      ...failureExcerpt(state, attempt, result),
      ...logMatches(state, attempt, result),
      ...namedOutputs(outputs),
    };
    context.send('outbox', 'outbox', {
      type: 'report.persist',
      report:
        message === ''
          ? report
          : { ...report, message: message.slice(0, AGENT_LIMITS.reportMessageCharacters) },
    });
    if (result.status === 'succeeded') offerPreviews(state, attempt, outputs, context);
  }
  context.effect({ kind: 'unfollow-cancels', taskId });
  context.send('registrar', 'registrar', { type: 'attempt.over', attemptId, outcome });
}

/** Previews are made after the report, and nothing waits for them. */
function offerPreviews(
  state: SessionState,
  attempt: CurrentAttempt,
  outputs: readonly WrittenOutput[],
  context: SessionContext,
): void {
  const { attempt_id: attemptId, task_id: taskId, parameters } = attempt.assignment;
  const { step, paths, redactor } = state;
  // Staged files are in the directory of the session, which is removed.
  const pathAt = ({ name, path }: NamedPath): string | null =>
    paths.staged.has(name) ? null : paths.mapPath(path);
  const searches = outputSearches({ job: step.job_parameters, task: parameters }, pathAt);
  if (outputs.length === 0 && searches.length === 0) return;
  const request = {
    taskId,
    attemptId,
    outputs,
    searches,
    startedAt: attempt.startedAt ?? context.now,
    redact: (name: string) => redactor.text(name),
    runAs: runAsOf(step),
  };
  context.effect({ kind: 'make-previews', request });
}

/** Returns the excerpt of the log of a failed attempt, for its report. */
function failureExcerpt(
  { redactor }: SessionState,
  { output }: CurrentAttempt,
  { status }: SessionResult,
): Pick<StatusMessage, 'failure_excerpt'> {
  const excerpt = status === 'failed' ? redactor.text(output.excerpt()) : '';
  return excerpt === '' ? {} : { failure_excerpt: excerpt.slice(0, EXCERPT_LIMITS.characters) };
}

/** Returns the patterns of retry rules that the log of a failed attempt contains, for its report. */
function logMatches(
  { step, expressions }: SessionState,
  { output }: CurrentAttempt,
  { status }: SessionResult,
): Pick<StatusMessage, 'log_matches'> {
  const { log_patterns: patterns = [] } = step;
  if (status !== 'failed' || patterns.length === 0) return {};
  const matches = patterns.filter((pattern) => {
    const compiled = expressions.regex.compile(pattern);
    return compiled.ok && output.some((line) => compiled.value.match(line, 0, false, ignoreWork) !== null);
  });
  return matches.length === 0 ? {} : { log_matches: matches.slice(0, WIRE_LIMITS.logMatches) };
}

const ignoreWork = (): void => undefined;
