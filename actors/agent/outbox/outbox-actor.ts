import type { ActorDefinition } from '../../kernel/actor.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentSystem } from '../agent-system.ts';
import { discardProgress, onProgressDue, onReportProgress } from './on-progress.ts';
import { onReportStored, onPublishFailed } from './on-report-sent.ts';
import {
  queueForPiggyback,
  onLeaseRequestSending,
  onPiggybackUnavailable,
  onLeaseRequestEnded,
  onPiggybackEnabled,
} from './piggyback.ts';
import { confirm, discardReport, publishReport } from './publish-report.ts';
import { loadOutbox, type OutboxState } from './state.ts';

/**
 * The outbox owns the worker's reports on its attempts. It writes a terminal report to the worker's disk before it
 * publishes it, and repeats it until the service has confirmed that the attempt is closed
 * (docs/architecture.md#the-bus). It sends the report with the next lease request, or else to the status stream. It
 * sends all lease requests.
 */
export function outboxActor(): ActorDefinition<AgentSystem, 'outbox', OutboxState> {
  return {
    kind: 'outbox',
    load: (_id, reader) => loadOutbox(reader),
    onMissing: () => null,
    handlers: {
      'outbox.activate': (state, _message, context) => {
        for (const attemptId of state.reports.keys()) publishReport(state, attemptId, context);
      },
      'report.running': (state, { report }, context) => {
        const { attempt_id: attemptId } = report;
        state.reports.set(attemptId, { report, tries: 0, isPublished: false });
        context.after(attemptId, AGENT_LIMITS.runningHoldMs, { type: 'report.due', attemptId });
      },
      'report.progress': onReportProgress,
      'progress.due': onProgressDue,
      'report.persist': (state, { report }, context) => {
        discardProgress(state, report.attempt_id, context);
        context.change({ op: 'report-kept', report });
        queueForPiggyback(state, report, context);
      },
      'report.discard': (state, { attemptId }, context) => {
        discardProgress(state, attemptId, context);
        discardReport(state, attemptId, context);
      },
      'piggyback.enabled': onPiggybackEnabled,
      'piggyback.unavailable': onPiggybackUnavailable,
      'lease-request.sending': onLeaseRequestSending,
      'lease-request.ended': onLeaseRequestEnded,
      'report.confirmed': (state, { attemptIds }, context) => {
        confirm(state, attemptIds, context);
      },
      'report.stored': onReportStored,
      'report.publish-failed': onPublishFailed,
      'report.due': (state, { attemptId }, context) => {
        publishReport(state, attemptId, context);
      },
    },
  };
}
