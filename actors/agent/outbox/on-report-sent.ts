import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-system.ts';
import { backoffMs } from '../backoff.ts';
import type { OutboxMessage } from './messages.ts';
import type { OutboxState } from './state.ts';

type OutboxContext = AgentContext<'outbox'>;

/**
 * Handles a stored report. A running report is done. A terminal one waits for its confirmation and is repeated if that
 * takes too long.
 */
export function onReportStored(
  state: OutboxState,
  { attemptId, status }: Extract<OutboxMessage, { type: 'report.stored' }>,
  context: OutboxContext,
): void {
  const outgoing = state.reports.get(attemptId);
  if (outgoing?.report.status !== status) return;
  outgoing.tries = 0;
  if (status === 'running') state.reports.delete(attemptId);
  else context.after(attemptId, AGENT_LIMITS.reportRepeatMs, { type: 'report.due', attemptId });
}

/** Handles a failed publish, or one without an acknowledgement. */
export function onPublishFailed(
  state: OutboxState,
  { attemptId, status, reason }: Extract<OutboxMessage, { type: 'report.publish-failed' }>,
  context: OutboxContext,
): void {
  const outgoing = state.reports.get(attemptId);
  if (outgoing?.report.status !== status) return;
  const delayMs = backoffMs(outgoing.tries, AGENT_LIMITS.reportRetry, context.newId());
  context.log(outgoing.tries === 0 ? 'warn' : 'debug', 'could not publish a report; retrying', {
    attempt_id: attemptId,
    status,
    reason,
  });
  outgoing.tries++;
  context.after(attemptId, delayMs, { type: 'report.due', attemptId });
}
