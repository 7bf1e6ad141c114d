import type { AttemptId } from '../../../src/core/ids.ts';
import type { StatusMessage } from '../../../src/core/wire/bus-messages.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-system.ts';
import type { OutboxMessage } from './messages.ts';
import type { OutboxState } from './state.ts';

type OutboxContext = AgentContext<'outbox'>;

/**
 * How far a task is, as it says itself: told as well as the bus allows, once in `AGENT_LIMITS.progressMs` an attempt at the most. What is
 * overtaken meanwhile is not told, and nothing of it is kept or told again.
 */
export function onReportProgress(
  state: OutboxState,
  { report }: Extract<OutboxMessage, { type: 'report.progress' }>,
  context: OutboxContext,
): void {
  const { attempt_id: attemptId } = report;
  if (state.progress.has(attemptId)) state.progress.set(attemptId, report);
  else if (state.reports.get(attemptId)?.isSaid === false) hold(state, report, context);
  else tell(state, report, context);
}

/** It is not yet told that the task runs: that may be over in a moment. */
function hold(state: OutboxState, report: StatusMessage, context: OutboxContext): void {
  const { attempt_id: attemptId } = report;
  state.progress.set(attemptId, report);
  context.after(timerOf(attemptId), AGENT_LIMITS.runningHoldMs, { type: 'progress.due', attemptId });
}

export function onProgressDue(
  state: OutboxState,
  { attemptId }: Extract<OutboxMessage, { type: 'progress.due' }>,
  context: OutboxContext,
): void {
  const waiting = state.progress.get(attemptId) ?? null;
  if (waiting === null) state.progress.delete(attemptId);
  else tell(state, waiting, context);
}

/** The attempt has ended: its last report says how far it came. */
export function forgetProgress(state: OutboxState, attemptId: AttemptId, context: OutboxContext): void {
  if (state.progress.delete(attemptId)) context.cancelTimer(timerOf(attemptId));
}

function tell(state: OutboxState, report: StatusMessage, context: OutboxContext): void {
  const { attempt_id: attemptId } = report;
  state.progress.set(attemptId, null);
  context.effect({ kind: 'report-progress', report });
  context.after(timerOf(attemptId), AGENT_LIMITS.progressMs, { type: 'progress.due', attemptId });
}

const timerOf = (attemptId: AttemptId): string => `progress ${attemptId}`;
