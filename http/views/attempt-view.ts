import { stepIdOf } from '../../src/core/ids.ts';
import type { AttemptRecord } from '../../src/core/records/attempt.ts';
import { preemptionSentence, type Preemption } from '../../src/core/records/preemption.ts';
import { outageMarkView } from './outage-view.ts';
import { appliedRuleView } from './retry-rules-view.ts';
import type { Schemas } from './schemas.ts';
import type { VisibleJobs } from './visible-jobs.ts';
import { usageFields } from '../../src/core/wire/usage-fields.ts';
import { timestampOf } from '../../src/core/timestamp.ts';

/** docs/contract/resources.md#task-attempt. */
export function attemptView(attempt: AttemptRecord, { has }: Pick<VisibleJobs, 'has'>): Schemas['Attempt'] {
  return {
    attempt_number: attempt.attemptNumber,
    status: attempt.status,
    worker_id: attempt.workerId,
    ...(attempt.exitCode !== undefined && { exit_code: attempt.exitCode }),
    ...usageFields(attempt),
    ...(attempt.reclaimed === true && { reclaimed: true }),
    ...(attempt.message !== '' && { message: attempt.message }),
    ...(attempt.failureExcerpt !== undefined && { failure_excerpt: attempt.failureExcerpt }),
    ...(attempt.rule !== undefined && { retry_rule: appliedRuleView(attempt.rule) }),
    ...(attempt.outage !== undefined && { outage: outageMarkView(attempt.outage) }),
    ...(attempt.preemption !== undefined && { preemption: preemptionView(attempt.preemption, has) }),
    started_at: timestampOf(attempt.startedAt),
    ...(attempt.endedAt !== undefined && { ended_at: timestampOf(attempt.endedAt) }),
  };
}

/** Returns why an attempt was taken back. The job that waited is left out if the reader may not see it. */
const preemptionView = (preemption: Preemption, isVisible: VisibleJobs['has']): Schemas['Preemption'] => ({
  queue_id: preemption.queueId,
  queue: preemption.queue,
  ...(isVisible(preemption.jobId) && {
    job_id: preemption.jobId,
    step_id: stepIdOf(preemption.jobId, preemption.stepOrder),
  }),
  waited_seconds: Math.floor(preemption.waitedMs / SECOND_MS),
  after_seconds: preemption.afterSeconds,
  ...(preemption.policyVersion !== undefined && { policy_version: preemption.policyVersion }),
  sentence: preemptionSentence(preemption),
});

const SECOND_MS = 1000;
