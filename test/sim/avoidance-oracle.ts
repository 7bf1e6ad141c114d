import type { JobState } from '../../actors/service/job/state.ts';
import { taskIdOf, type TaskId, type WorkerId } from '../../src/core/ids.ts';
import type { AttemptRecord } from '../../src/core/records/attempt.ts';
import { mayRun, takesTasks } from './eligibility-oracle.ts';
import { isCounted, keyOfApplied, needsOf } from './retry-rule-oracle.ts';
import { taskAt } from './job-snapshot.ts';
import type { FarmView } from './service-view.ts';

/** Attempts by task, ordered by number. */
export type AttemptsOf = (task: TaskId) => readonly AttemptRecord[];

/**
 * Reports whether a worker is passed over for a task: it has failed the task since the last manual retry, and another
 * eligible online worker has not (docs/decisions/bad-nodes.md).
 */
export function isPassedOver(
  { workers }: Pick<FarmView, 'workers'>,
  attemptsOf: AttemptsOf,
  workerId: WorkerId,
  job: JobState,
  stepOrder: number,
  index: number,
): boolean {
  const step = job.steps[stepOrder];
  if (step === undefined) return false;
  const failures = taskAt(step, index).own?.failedAttempts ?? 0;
  const uses = job.ruleUses.get(`${stepOrder}/${index}`)?.uses ?? {};
  if (failures === 0 && Object.keys(uses).length === 0) return false;
  const failed = attemptsOf(taskIdOf({ jobId: job.record.id, stepOrder, index })).filter(
    ({ status, reclaimed }) => status === 'failed' && reclaimed !== true,
  );
  const genuine = failures === 0 ? [] : failed.filter(({ rule }) => isCounted(rule)).slice(-failures);
  const avoided = failed.filter(({ rule }) => rule?.action === 'avoid_worker');
  const keys = new Set(avoided.flatMap(({ rule }) => (rule === undefined ? [] : [keyOfApplied(rule)])));
  const times = [...keys].reduce((sum, key) => sum + (uses[key] ?? 0), 0);
  const byRule = times === 0 ? [] : avoided.slice(-times);
  const failedOn = new Set([...genuine, ...byRule].map((attempt) => attempt.workerId));
  if (!failedOn.has(workerId)) return false;
  return workers.some(
    ({ record }) =>
      takesTasks(record) && !failedOn.has(record.id) && mayRun(record, job.record.queueId, needsOf(step)),
  );
}
