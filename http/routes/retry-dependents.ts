import type { RetryResult } from '../../actors/service/job/messages.ts';
import type { JobId } from '../../src/core/ids.ts';
import { UPSTREAM_JOB_REASON } from '../../src/core/lifecycle/failure-reasons.ts';
import { isTerminalJob } from '../../src/core/lifecycle/job-transitions.ts';
import { cancelReasonOf, type JobRecord } from '../../src/core/records/job.ts';
import { problemBody } from '../problems.ts';
import type { Ports } from '../ports.ts';
import type { Schemas } from '../views/schemas.ts';
import { askToRetry } from './ask-to-retry.ts';
import { findJob } from './find-task.ts';
import { mapConcurrently } from './map-concurrently.ts';

const JOBS_AT_ONCE = 8;

/**
 * Retries the dependents of a retried job, direct and indirect, that were canceled only because of it: all their
 * upstream jobs are active, completed or among the retried ones (docs/contract/job-states.md#rules). The farm checks
 * this again.
 */
export async function retryDependents(
  root: JobId,
  { retried, jobStatus }: RetryResult,
  isDryRun: boolean,
  ports: Ports,
): Promise<readonly Schemas['RetriedDependent'][]> {
  if (jobStatus !== 'completed' && isTerminalJob(jobStatus) && !(isDryRun && retried > 0)) return [];
  const restored = new Set<string>([root]);
  const dependents: Schemas['RetriedDependent'][] = [];
  for (let level = restorable([root], restored, ports); level.length > 0;) {
    const results = await mapConcurrently(level, JOBS_AT_ONCE, async ({ id, name }) => {
      const outcome = await askToRetry(id, { target: 'job', scope: 'restore', isDryRun }, ports);
      return outcome.ok
        ? { job_id: id, name, retried: outcome.value.retried }
        : { job_id: id, name, retried: 0, problem: problemBody(outcome.problem) };
    });
    const done = results.filter((each) => each.retried > 0);
    dependents.push(...results.filter((each) => each.retried > 0 || 'problem' in each));
    for (const { job_id: id } of done) restored.add(id);
    level = restorable(
      done.map((each) => each.job_id),
      restored,
      ports,
    );
  }
  return dependents;
}

/** Returns the dependents of some jobs that can be retried once these jobs are. */
function restorable(
  upstreams: readonly string[],
  restored: ReadonlySet<string>,
  { store, jobLists }: Ports,
): readonly JobRecord[] {
  const ids = new Set(upstreams.flatMap((id) => jobLists.dependents(id)));
  return [...ids].flatMap((id) => {
    const job = restored.has(id) ? null : findJob(store, id);
    if (job?.status !== 'canceled' || cancelReasonOf(job) !== UPSTREAM_JOB_REASON) return [];
    const isFree = job.dependsOn.every((upstream) => {
      const status = findJob(store, upstream)?.status;
      if (status === undefined) return false;
      return restored.has(upstream) || status === 'completed' || !isTerminalJob(status);
    });
    return isFree ? [job] : [];
  });
}
