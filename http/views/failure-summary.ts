import type { StoreReader } from '../../src/core/ports/store.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import { readTaskStatus } from '../../src/core/records/task-page.ts';
import { keys, taskOfTextKey } from '../../src/core/records/tables.ts';
import type { Schemas } from './schemas.ts';

/** A job with more texts than this is summed up from the first of them. */
const MAX_TEXTS = 10_000;

/** How many tasks of a job have failed, and of what (interface.md, "Job", `failure_summary`). */
export function failureSummary(store: StoreReader, job: JobRecord): Schemas['FailureSummary'] {
  const failedCount = job.taskCounts.failed;
  const reasons = failedCount === 0 ? new Map<string, number>() : failureReasons(store, job);
  let dominant = '';
  for (const [reason, count] of reasons) {
    if (count > (reasons.get(dominant) ?? 0)) dominant = reason;
  }
  return { failed_count: failedCount, dominant_reason: dominant, distinct_reasons: reasons.size };
}

/** How many failed tasks have each reason, in the order of the tasks. */
function failureReasons(store: StoreReader, job: JobRecord): Map<string, number> {
  const reasons = new Map<string, number>();
  for (const { key, value } of store.scan('taskText', {
    prefix: keys.taskTextsOf(job.id),
    limit: MAX_TEXTS,
  })) {
    const task = taskOfTextKey(key);
    const page = store.get('taskPage', keys.taskPageOf(task));
    if (page === undefined || readTaskStatus(page, task.index) !== 'failed') continue;
    reasons.set(value.failureReason, (reasons.get(value.failureReason) ?? 0) + 1);
  }
  return reasons;
}
