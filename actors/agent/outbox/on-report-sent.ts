import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentContext } from '../agent-system.ts';
import { backoffMs } from '../backoff.ts';
import type { OutboxMessage } from './messages.ts';
import type { OutboxState } from './state.ts';

type OutboxContext = AgentContext<'outbox'>;

/** The bus has it. A running report is done with; a terminal one waits for the service, and is said again when that takes long. */
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

/** The bus does not have it, or did not say so. */
export function onReportUnstored(
  state: OutboxState,
  { attemptId, status, reason }: Extract<OutboxMessage, { type: 'report.publish-failed' }>,
  context: OutboxContext,
): void {
  const outgoing = state.reports.get(attemptId);
  if (outgoing?.report.status !== status) return;
  const delayMs = backoffMs(outgoing.tries, AGENT_LIMITS.reportRetry, context.newId());
  context.log(outgoing.tries === 0 ? 'warn' : 'debug', 'a report could not be stored; it is said again', {
    attempt_id: attemptId,
    status,
    reason,
  });
  outgoing.tries++;
  context.after(attemptId, delayMs, { type: 'report.due', attemptId });
}
