import type { WorkerId } from '../../../src/core/ids.ts';
import { errorLineOf } from '../../../src/core/failure/error-line.ts';
import {
  FAILURE_LIMIT_PARK_REASON,
  reportedFailureReason,
} from '../../../src/core/lifecycle/failure-reasons.ts';
import { failureOutcome } from '../../../src/core/lifecycle/retry-policy.ts';
import type { OutageMark } from '../../../src/core/outages/outage.ts';
import { usesAttempt } from '../../../src/core/retry-rules/applied-rule.ts';
import type { AttemptReport } from '../../../src/core/wire/bus-messages.ts';
import type { RegexEngine } from '../../../src/openjd/expr/regex/regex-engine.ts';
import type { ServiceContext } from '../service-system.ts';
import { decisionFor, retryByRule } from './apply-rule.ts';
import { canaryParkOf } from './canaries.ts';
import { countFailure } from './count-failure.ts';
import { recordFailedOn } from './failed-on.ts';
import type { JobTurn } from './job-turn.ts';
import { makeReady } from './reclaim.ts';
import { closedBy } from './reported-end.ts';
import { policyOf, type JobState } from './state.ts';
import { taskOf, type StepState } from './step-state.ts';
import { retryAfterOutage, sendToWeigh, type FailedTask } from './weigh-failure.ts';

/** Answer of the lease actor about a failure. `mark`: set if it belongs to an outage. */
export interface WeighedFailure {
  readonly mark: OutageMark | null;
}

/**
 * Applies a retry rule, or asks the lease actor whether the failure belongs to an outage, unless `weighed` is the answer; or
 * applies exactly one of retry, exhausted and auto-park (docs/contract/retry.md#outcomes-of-a-failure).
 */
export function applyFailure(
  state: JobState,
  step: StepState,
  index: number,
  { report, workerId, task }: FailedTask,
  regex: RegexEngine,
  turn: JobTurn,
  context: ServiceContext<'job'>,
  weighed: WeighedFailure | null = null,
): void {
  const decision = decisionFor(state, step, index, report, task, regex);
  if (decision === null && weighed === null && state.inherited.findsOutages === true) {
    sendToWeigh(state, step, index, { report, workerId, task }, context);
    return;
  }
  if (decision === null && weighed !== null && weighed.mark !== null) {
    retryAfterOutage(
      state,
      step,
      index,
      { ...closedBy(report, 'failed'), outage: weighed.mark },
      turn,
      context,
    );
    logFailure(report, workerId, true, context);
    return;
  }
  if (decision !== null && !usesAttempt(decision.applied)) {
    const closed = closedBy(report, 'failed');
    retryByRule(state, step, index, decision, { workerId, closed }, turn, context);
    return;
  }
  const policy = decision === null ? policyOf(state) : { ...policyOf(state), maxAttempts: 1 };
  const taskFailures = taskOf(step, index).failedAttempts + 1;
  const jobFailures = state.record.failedAttempts + 1;
  const outcome = failureOutcome(policy, taskFailures, jobFailures);
  countFailure(state, step, index, outcome !== 'retry', context);
  logFailure(report, workerId, outcome === 'retry', context);
  const closed = { ...closedBy(report, 'failed'), rule: decision?.applied };
  turn.closeAttempt(step, index, weighed === null ? closed : { ...closed, isWeighed: true });
  turn.patchJob({ failedAttempts: jobFailures });
  if (outcome === 'retry') {
    const retryAfter = context.now + policy.retryDelaySeconds * 1000;
    recordFailedOn(state, step, index, workerId);
    turn.move(step, index, 'auto-retry', {
      failedAttempts: taskFailures,
      assignedAt: null,
      retryAfter,
      workerOrdinal: null,
    });
    makeReady(state, step, index, retryAfter, context);
    context.effect({ kind: 'count', counter: 'task-retries', queueId: state.record.queueId });
    park(state, canaryParkOf(state, step), turn, context);
    return;
  }
  turn.move(step, index, 'reported failure', { failedAttempts: taskFailures });
  const reason = reportedFailureReason(report.message ?? '', report.exit_code);
  turn.setReason(step, index, reason, errorLineOf(report.failure_excerpt ?? ''));
  const reasonToPark = outcome === 'auto-park' ? FAILURE_LIMIT_PARK_REASON : canaryParkOf(state, step);
  park(state, reasonToPark, turn, context);
}

/** Parks the job, if there is a reason and it is not paused. */
function park(state: JobState, reason: string | null, turn: JobTurn, context: ServiceContext<'job'>): void {
  if (reason === null || state.record.status === 'paused') return;
  if (turn.moveJob('auto-park', { parkReason: reason }))
    context.effect({ kind: 'count', counter: 'jobs-autoparked', queueId: state.record.queueId });
}

/** Logs a failed attempt, so that the diagnostics of its task name it. */
function logFailure(
  { attempt_id: attemptId, message = '', exit_code: exitCode }: AttemptReport,
  workerId: WorkerId,
  isRetried: boolean,
  context: ServiceContext<'job'>,
): void {
  context.log('warn', isRetried ? 'attempt failed; the task is retried' : 'task failed', {
    attempt_id: attemptId,
    worker_id: workerId,
    reason: reportedFailureReason(message, exitCode),
  });
}
