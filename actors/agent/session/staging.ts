import type { StagingDirection } from '../../../src/core/ports/staging.ts';
import type { AgentContext } from '../agent-system.ts';
import type { SessionMessage } from './messages.ts';
import { runAsOf } from './run-as.ts';
import type { CurrentAttempt, SessionResult, SessionState, SessionStaging } from './state.ts';

type SessionContext = AgentContext<'session'>;

export const newStaging = (): SessionStaging => ({ runs: 0, underWay: null, isIn: false });

/** Reports whether the input files of the tasks must be copied before the environments are entered. */
export const needsStageIn = ({ staging, paths }: SessionState): boolean =>
  !staging.isIn && paths.transfers.length > 0;

/** Starts to copy the input files of the tasks. */
export function stageIn(state: SessionState, context: SessionContext): void {
  state.staging.isIn = true;
  begin(state, 'in', context);
}

/** Starts to copy the output files of the task. */
export const stageOut = (state: SessionState, context: SessionContext): void => begin(state, 'out', context);

function begin(
  { sessionId, staging, paths, step }: SessionState,
  direction: StagingDirection,
  context: SessionContext,
): void {
  const run = ++staging.runs;
  staging.underWay = { run, direction };
  context.effect({
    kind: 'stage',
    sessionId,
    request: { run, direction, transfers: paths.transfers, runAs: runAsOf(step) },
  });
}

/** Records the success of the task's action. If output files must be copied out first, the result is set afterwards. */
export function taskSucceeded(state: SessionState, attempt: CurrentAttempt, result: SessionResult): void {
  if (state.paths.transfers.some(({ flow }) => flow !== 'IN')) attempt.outcome = result;
  else attempt.result = result;
}

/** Handles the end of a copy. A failed copy fails the task. Returns whether it was the copy in progress. */
export function endStaging(
  { staging, attempt, stop }: SessionState,
  { run, failure }: Extract<SessionMessage, { type: 'staging.ended' }>,
): boolean {
  if (staging.underWay?.run !== run) return false;
  staging.underWay = null;
  if (attempt === null) return true;
  if (stop === null) {
    const usage = attempt.outcome?.usage;
    attempt.result ??=
      failure === null
        ? attempt.outcome
        : { status: 'failed', message: failure, ...(usage !== undefined && { usage }) };
  }
  attempt.outcome = null;
  return true;
}

/** Stops the copy in progress. It is still answered by `staging.ended`. */
export function stopStaging({ sessionId, staging }: SessionState, context: SessionContext): void {
  if (staging.underWay !== null) context.effect({ kind: 'stop-staging', sessionId });
}

/** Releases the staging resources of the session. */
export function forgetStaging({ sessionId, staging }: SessionState, context: SessionContext): void {
  if (staging.runs > 0) context.effect({ kind: 'forget-staging', sessionId });
}
