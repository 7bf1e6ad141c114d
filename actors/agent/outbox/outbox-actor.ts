import type { AttemptId } from '../../../src/core/ids.ts';
import type { StatusMessage } from '../../../src/core/wire/bus-messages.ts';
import type { ActorDefinition } from '../../kernel/actor.ts';
import type { AgentContext, AgentWorld } from '../agent-world.ts';
import { forgetProgress, onProgressDue, onReportProgress } from './on-progress.ts';
import { onReportStored, onReportUnstored } from './on-report-sent.ts';
import { loadOutbox, type OutboxState } from './state.ts';

type OutboxContext = AgentContext<'outbox'>;

/**
 * The outbox owns what the worker has to say of its attempts. A terminal report is on the worker's disk before it is said, and is said
 * until the service has confirmed that the attempt is closed (design.md, "The bus").
 */
export function outboxActor(): ActorDefinition<AgentWorld, 'outbox', OutboxState> {
  return {
    kind: 'outbox',
    load: (_id, reader) => loadOutbox(reader),
    absent: () => null,
    handlers: {
      'outbox.wake': (state, _message, context) => {
        for (const { report } of state.reports.values()) context.effect({ kind: 'report', report });
      },
      'report.running': (state, { report }, context) => {
        say(state, report, context);
      },
      'report.progress': onReportProgress,
      'progress.due': onProgressDue,
      'report.keep': (state, { report }, context) => {
        forgetProgress(state, report.attempt_id, context);
        context.change({ op: 'report-kept', report });
        say(state, report, context);
      },
      'report.void': (state, { attemptId }, context) => {
        forgetProgress(state, attemptId, context);
        drop(state, attemptId, context);
      },
      'report.confirmed': (state, { attemptIds }, context) => {
        for (const attemptId of attemptIds) {
          if (drop(state, attemptId, context)) context.change({ op: 'report-confirmed', attemptId });
        }
      },
      'report.stored': onReportStored,
      'report.unstored': onReportUnstored,
      'report.due': (state, { attemptId }, context) => {
        const outgoing = state.reports.get(attemptId);
        if (outgoing !== undefined) context.effect({ kind: 'report', report: outgoing.report });
      },
    },
  };
}

function say(state: OutboxState, report: StatusMessage, context: OutboxContext): void {
  state.reports.set(report.attempt_id, { report, tries: 0 });
  context.cancelTimer(report.attempt_id);
  context.effect({ kind: 'report', report });
}

function drop(state: OutboxState, attemptId: AttemptId, context: OutboxContext): boolean {
  context.cancelTimer(attemptId);
  return state.reports.delete(attemptId);
}
