import type { AttemptId } from '../../../src/core/ids.ts';
import type { AgentContext } from '../agent-system.ts';
import type { OutboxState } from './state.ts';

type OutboxContext = AgentContext<'outbox'>;

/** Says the attempt's report by the stream of statuses, now: it waits for no lease request any more, and for no answer to one. */
export function publishReport(state: OutboxState, attemptId: AttemptId, context: OutboxContext): void {
  leave(state, attemptId);
  const outgoing = state.reports.get(attemptId);
  if (outgoing === undefined) return;
  outgoing.isSaid = true;
  context.cancelTimer(attemptId);
  context.effect({ kind: 'report', report: outgoing.report });
}

/** Nothing is to be said of the attempt any more; true when there was something. */
export function discardReport(state: OutboxState, attemptId: AttemptId, context: OutboxContext): boolean {
  leave(state, attemptId);
  context.cancelTimer(attemptId);
  return state.reports.delete(attemptId);
}

/** The service has confirmed that the attempts are closed: their reports need not be kept. */
export function confirm(state: OutboxState, attemptIds: readonly AttemptId[], context: OutboxContext): void {
  for (const attemptId of attemptIds) {
    if (discardReport(state, attemptId, context)) context.change({ op: 'report-confirmed', attemptId });
  }
}

function leave(state: OutboxState, attemptId: AttemptId): void {
  state.waiting.delete(attemptId);
  for (const riders of state.rides.values()) riders.delete(attemptId);
}
