import { taskIdOf, type TaskAddress } from '../../src/core/ids.ts';
import { failureKeyOf } from '../../src/core/failure/error-line.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import { readTask, type TaskState } from '../../src/core/records/task-page.ts';
import { keys, taskOfTextKey } from '../../src/core/records/tables.ts';
import { namedWorkers } from './named-workers.ts';
import type { Schemas } from './schemas.ts';

/** A job with more texts than this is summarized from the first ones. */
const TEXTS_MAX = 10_000;
/** Texts that are read for the first failure of each job of a list. */
const FIRST_TEXTS_MAX = 20;
/** Maximum number of listed reasons, most common first, and of named tasks and workers per reason. */
const GROUPS_MAX = 100;
const NAMED_MAX = 20;

/** Counts the failed tasks of a job by reason (docs/contract/resources.md#job). */
export function failureSummary(store: StoreReader, job: JobRecord): Schemas['FailureSummary'] {
  const failedCount = job.taskCounts.failed;
  const reasons = new Map<string, number>();
  for (const { reason } of failedTasks(store, job)) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  let dominant = '';
  for (const [reason, count] of reasons) {
    if (count > (reasons.get(dominant) ?? 0)) dominant = reason;
  }
  return { failed_count: failedCount, dominant_reason: dominant, distinct_reasons: reasons.size };
}

/** Returns the reason and the error line of the first failed task; null if the first texts of the job have none. */
export function firstFailure(store: StoreReader, job: JobRecord): string | null {
  for (const { reason, errorLine } of failedTasks(store, job, FIRST_TEXTS_MAX)) {
    const text = [reason, errorLine].filter((part) => part !== '').join(': ');
    if (text !== '') return text;
  }
  return null;
}

interface Group {
  readonly reason: string;
  /** Of its first task. */
  readonly errorLine: string;
  count: number;
  readonly taskIds: string[];
  /** Ordinals of the workers on which they failed. */
  readonly ordinals: Set<number>;
}

/** Groups the failed tasks of a job by reason and error line, most common first (failureKeyOf). */
export function failureGroups(store: StoreReader, job: JobRecord): Omit<Schemas['JobFailures'], 'axes'> {
  const groups = new Map<string, Group>();
  let looked = 0;
  for (const { task, state, reason, errorLine } of failedTasks(store, job)) {
    looked += 1;
    const key = failureKeyOf(reason, errorLine);
    const group = groups.get(key) ?? { reason, errorLine, count: 0, taskIds: [], ordinals: new Set() };
    groups.set(key, group);
    group.count += 1;
    if (group.taskIds.length < NAMED_MAX) group.taskIds.push(taskIdOf(task));
    const { workerOrdinal } = state;
    if (group.ordinals.size < NAMED_MAX && workerOrdinal !== null) group.ordinals.add(workerOrdinal);
  }
  const commonest = [...groups.values()].sort((a, b) => b.count - a.count);
  const listed = commonest.slice(0, GROUPS_MAX).map(({ reason, errorLine, count, taskIds, ordinals }) => ({
    reason,
    ...(errorLine !== '' && { error_line: errorLine }),
    count,
    task_ids: taskIds,
    worker_ids: [...ordinals].flatMap((ordinal) => workerOf(store, job, ordinal)),
  }));
  return {
    job_id: job.id,
    failed_count: job.taskCounts.failed,
    groups: listed,
    workers: namedWorkers(
      store,
      listed.flatMap(({ worker_ids: ids }) => ids),
    ),
    is_partial: looked < job.taskCounts.failed || commonest.length > GROUPS_MAX,
  };
}

const workerOf = (store: StoreReader, job: JobRecord, ordinal: number): string[] => {
  const row = store.get('workerOrdinal', keys.workerOrdinal(job.farmId, ordinal));
  return row === undefined ? [] : [row.workerId];
};

interface FailedTask {
  readonly task: TaskAddress;
  readonly state: TaskState;
  readonly reason: string;
  /** Empty if it is unknown. */
  readonly errorLine: string;
}

/** Yields the failed tasks of a job in order, from up to `limit` texts. */
function* failedTasks(store: StoreReader, job: JobRecord, limit = TEXTS_MAX): Generator<FailedTask> {
  if (job.taskCounts.failed === 0) return;
  const texts = store.scan('taskText', { prefix: keys.taskTextsOf(job.id), limit });
  for (const { key, value } of texts) {
    const task = taskOfTextKey(key);
    const page = store.get('taskPage', keys.taskPageOf(task));
    const state = page === undefined ? null : readTask(page, task.index);
    if (state?.status === 'failed')
      yield { task, state, reason: value.failureReason, errorLine: value.errorLine ?? '' };
  }
}
