import type { StagingDirection } from '../../../src/core/ports/staging.ts';
import type { AgentContext } from '../agent-system.ts';
import type { SessionMessage } from './messages.ts';
import { runAsOf } from './run-as.ts';
import type { CurrentAttempt, SessionResult, SessionState, SessionStaging } from './state.ts';

type SessionContext = AgentContext<'session'>;

export const newStaging = (): SessionStaging => ({ runs: 0, underWay: null, isIn: false });

/** Whether the files that the tasks read are still to be copied: once a session, before its environments are entered. */
export const needsStageIn = ({ staging, paths }: SessionState): boolean =>
  !staging.isIn && paths.transfers.length > 0;

/** Begins to copy what the tasks read. */
export function stageIn(state: SessionState, context: SessionContext): void {
  state.staging.isIn = true;
  begin(state, 'in', context);
}

/** Begins to copy what the task has written. */
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

/** The action of the task has succeeded: that is the end of the task, unless files are to be copied out first. */
export function taskSucceeded(state: SessionState, attempt: CurrentAttempt, result: SessionResult): void {
  if (state.paths.transfers.some(({ flow }) => flow !== 'IN')) attempt.outcome = result;
  else attempt.result = result;
}

/** A copy has ended: one that failed fails the task. Gives whether it was the one that is waited for. */
export function noteStaged(
  { staging, attempt, stop }: SessionState,
  { run, failure }: Extract<SessionMessage, { type: 'staging.ended' }>,
): boolean {
  if (staging.underWay?.run !== run) return false;
  staging.underWay = null;
  if (attempt === null) return true;
  if (stop === null) {
    attempt.result ??= failure === null ? attempt.outcome : { status: 'failed', message: failure };
  }
  attempt.outcome = null;
  return true;
}

/** Ends a copy that is under way: it is answered all the same. */
export function stopStaging({ sessionId, staging }: SessionState, context: SessionContext): void {
  if (staging.underWay !== null) context.effect({ kind: 'stop-staging', sessionId });
}

/** The session is over. */
export function forgetStaging({ sessionId, staging }: SessionState, context: SessionContext): void {
  if (staging.runs > 0) context.effect({ kind: 'forget-staging', sessionId });
}
