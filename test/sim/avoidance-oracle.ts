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
 * Reports whether a worker is passed over for a task: it has failed the task since the last manual retry, or is kept from
 * the step because of its failures, and neither is true of another eligible online worker (docs/decisions/bad-nodes.md,
 * docs/quarantine.md).
 */
export function isPassedOver(
  { workers, lease }: Pick<FarmView, 'workers' | 'lease'>,
  attemptsOf: AttemptsOf,
  workerId: WorkerId,
  job: JobState,
  stepOrder: number,
  index: number,
): boolean {
  const step = job.steps[stepOrder];
  if (step === undefined) return false;
  const kept = new Set(
    lease.doubts
      .about(job.record.id, stepOrder, lease.kinds.online)
      .flatMap((each) => (each.isWhole && each.kind === 'quarantined' ? [] : [each.workerId])),
  );
  const failures = taskAt(step, index).own?.failedAttempts ?? 0;
  const { uses = {}, excused = [] } = job.ruleUses.get(`${stepOrder}/${index}`) ?? {};
  if (failures === 0 && Object.keys(uses).length === 0 && !kept.has(workerId)) return false;
  const failed = attemptsOf(taskIdOf({ jobId: job.record.id, stepOrder, index })).filter(
    ({ status, reclaimed }) => status === 'failed' && reclaimed !== true,
  );
  const genuine = failures === 0 ? [] : failed.filter((each) => isGenuine(each, excused)).slice(-failures);
  const avoided = failed.filter(({ rule }) => rule?.action === 'avoid_worker');
  const keys = new Set(avoided.flatMap(({ rule }) => (rule === undefined ? [] : [keyOfApplied(rule)])));
  const times = [...keys].reduce((sum, key) => sum + (uses[key] ?? 0), 0);
  const byRule = times === 0 ? [] : avoided.slice(-times);
  const failedOn = new Set([...genuine, ...byRule].map((attempt) => attempt.workerId));
  if (!failedOn.has(workerId) && !kept.has(workerId)) return false;
  return workers.some(
    ({ record, evidence }) =>
      takesTasks({ record, evidence }) &&
      !failedOn.has(record.id) &&
      !kept.has(record.id) &&
      mayRun(record, job.record.queueId, needsOf(step)),
  );
}

/** Reports whether a failed attempt counts: neither a retry rule nor an outage excuses it. */
const isGenuine = ({ rule, outage, attemptNumber }: AttemptRecord, excused: readonly number[]): boolean =>
  isCounted(rule) && outage === undefined && !excused.includes(attemptNumber);
