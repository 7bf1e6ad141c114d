import type { AttemptId } from '../../../src/core/ids.ts';
import type { AgentContext } from '../agent-system.ts';
import type { OutboxState } from './state.ts';

type OutboxContext = AgentContext<'outbox'>;

/** Publishes the attempt's report to the status stream now, even if it waits for a lease request or its reply. */
export function publishReport(state: OutboxState, attemptId: AttemptId, context: OutboxContext): void {
  removeFromPiggyback(state, attemptId);
  const outgoing = state.reports.get(attemptId);
  if (outgoing === undefined) return;
  outgoing.isPublished = true;
  context.cancelTimer(attemptId);
  context.effect({ kind: 'report', report: outgoing.report });
}

/** Discards the report of the attempt. Returns whether there was one. */
export function discardReport(state: OutboxState, attemptId: AttemptId, context: OutboxContext): boolean {
  removeFromPiggyback(state, attemptId);
  context.cancelTimer(attemptId);
  return state.reports.delete(attemptId);
}

/** Discards the stored reports of attempts that the service has confirmed as closed. */
export function confirm(state: OutboxState, attemptIds: readonly AttemptId[], context: OutboxContext): void {
  for (const attemptId of attemptIds) {
    if (discardReport(state, attemptId, context)) context.change({ op: 'report-confirmed', attemptId });
  }
}

function removeFromPiggyback(state: OutboxState, attemptId: AttemptId): void {
  state.waiting.delete(attemptId);
  for (const sent of state.piggybacked.values()) sent.delete(attemptId);
}
