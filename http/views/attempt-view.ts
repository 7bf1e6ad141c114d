import type { AttemptRecord } from '../../src/core/records/attempt.ts';
import { outageMarkView } from './outage-view.ts';
import { appliedRuleView } from './retry-rules-view.ts';
import { preemptionView } from './preemption-view.ts';
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
