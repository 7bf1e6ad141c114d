import type { ActorDefinition } from '../../kernel/actor.ts';
import { AGENT_LIMITS } from '../agent-limits.ts';
import type { AgentWorld } from '../agent-world.ts';
import { forgetProgress, onProgressDue, onReportProgress } from './on-progress.ts';
import { onReportStored, onReportUnstored } from './on-report-sent.ts';
import { letRide, onLeaseLeaving, onNoRides, onRideOver, onRidesAllowed } from './rides.ts';
import { confirm, drop, say } from './say.ts';
import { loadOutbox, type OutboxState } from './state.ts';

/**
 * The outbox owns what the worker has to say of its attempts. A terminal report is on the worker's disk before it is said, and is said
 * until the service has confirmed that the attempt is closed (design.md, "The bus"): with a lease request when one leaves anyhow, otherwise
 * by the stream of statuses. All lease requests leave from here.
 */
export function outboxActor(): ActorDefinition<AgentWorld, 'outbox', OutboxState> {
  return {
    kind: 'outbox',
    load: (_id, reader) => loadOutbox(reader),
    absent: () => null,
    handlers: {
      'outbox.wake': (state, _message, context) => {
        for (const attemptId of state.reports.keys()) say(state, attemptId, context);
      },
      'report.running': (state, { report }, context) => {
        const { attempt_id: attemptId } = report;
        state.reports.set(attemptId, { report, tries: 0, isSaid: false });
        context.after(attemptId, AGENT_LIMITS.runningHoldMs, { type: 'report.due', attemptId });
      },
      'report.progress': onReportProgress,
      'progress.due': onProgressDue,
      'report.keep': (state, { report }, context) => {
        forgetProgress(state, report.attempt_id, context);
        context.change({ op: 'report-kept', report });
        letRide(state, report, context);
      },
      'report.void': (state, { attemptId }, context) => {
        forgetProgress(state, attemptId, context);
        drop(state, attemptId, context);
      },
      'rides.allowed': onRidesAllowed,
      'rides.none': onNoRides,
      'lease.leaving': onLeaseLeaving,
      'ride.over': onRideOver,
      'report.confirmed': (state, { attemptIds }, context) => {
        confirm(state, attemptIds, context);
      },
      'report.stored': onReportStored,
      'report.unstored': onReportUnstored,
      'report.due': (state, { attemptId }, context) => {
        say(state, attemptId, context);
      },
    },
  };
}
