import type { AttemptId } from '../../../src/core/ids.ts';
import type { StatusMessage } from '../../../src/core/wire/bus-messages.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-system.ts';
import type { OutboxMessage } from './messages.ts';
import type { OutboxState } from './state.ts';

type OutboxContext = AgentContext<'outbox'>;

/**
 * Publishes the progress of a task, best effort and at most once in `AGENT_LIMITS.progressMs` per attempt. Progress
 * that is replaced within that time is never published, and none is kept for a retry.
 */
export function onReportProgress(
  state: OutboxState,
  { report }: Extract<OutboxMessage, { type: 'report.progress' }>,
  context: OutboxContext,
): void {
  const { attempt_id: attemptId } = report;
  if (state.progress.has(attemptId)) state.progress.set(attemptId, report);
  else if (state.reports.get(attemptId)?.isPublished === false) delayProgress(state, report, context);
  else publishProgress(state, report, context);
}

/** Delays progress until the running report is published: the task may end before that. */
function delayProgress(state: OutboxState, report: StatusMessage, context: OutboxContext): void {
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
  else publishProgress(state, waiting, context);
}

/** Discards the progress of an ended attempt: its terminal report includes it. */
export function discardProgress(state: OutboxState, attemptId: AttemptId, context: OutboxContext): void {
  if (state.progress.delete(attemptId)) context.cancelTimer(timerOf(attemptId));
}

function publishProgress(state: OutboxState, report: StatusMessage, context: OutboxContext): void {
  const { attempt_id: attemptId } = report;
  state.progress.set(attemptId, null);
  context.effect({ kind: 'report-progress', report });
  context.after(timerOf(attemptId), AGENT_LIMITS.progressMs, { type: 'progress.due', attemptId });
}

const timerOf = (attemptId: AttemptId): string => `progress ${attemptId}`;
