import type { RetryResult } from '../../actors/service/job/messages.ts';
import type { OwnerScope } from '../../src/core/access/owner-scope.ts';
import type { JobId } from '../../src/core/ids.ts';
import { UPSTREAM_JOB_REASON } from '../../src/core/lifecycle/failure-reasons.ts';
import { isTerminalJob } from '../../src/core/lifecycle/job-transitions.ts';
import { cancelReasonOf, type JobRecord } from '../../src/core/records/job.ts';
import { problemBody } from '../problems.ts';
import type { Ports } from '../ports.ts';
import type { Schemas } from '../views/schemas.ts';
import { askToRetry } from './ask-to-retry.ts';
import { findJob, readJob } from './find-task.ts';
import { mapConcurrently } from './map-concurrently.ts';

const JOBS_AT_ONCE = 8;

/** The retried job, and the scope of the principal that has retried it. */
export interface RetriedRoot {
  readonly id: JobId;
  readonly scope: OwnerScope;
}

/**
 * Retries the dependents of a retried job that are in the scope, direct and indirect, that were canceled only because of it: all their
 * upstream jobs are active, completed or among the retried ones (docs/contract/job-states.md#rules). The farm checks
 * this again.
 */
export async function retryDependents(
  { id: root, scope }: RetriedRoot,
  { retried, jobStatus }: RetryResult,
  isDryRun: boolean,
  ports: Ports,
): Promise<readonly Schemas['RetriedDependent'][]> {
  if (jobStatus !== 'completed' && isTerminalJob(jobStatus) && !(isDryRun && retried > 0)) return [];
  const restored = new Set<string>([root]);
  const dependents: Schemas['RetriedDependent'][] = [];
  for (let level = restorable([root], restored, scope, ports); level.length > 0;) {
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
      scope,
      ports,
    );
  }
  return dependents;
}

/** Returns the dependents of some jobs that can be retried once these jobs are. */
function restorable(
  upstreams: readonly string[],
  restored: ReadonlySet<string>,
  scope: OwnerScope,
  { store, jobLists }: Ports,
): readonly JobRecord[] {
  const ids = new Set(upstreams.flatMap((id) => jobLists.dependents(id, scope)));
  return [...ids].flatMap((id) => {
    const found = restored.has(id) ? null : findJob(store, id, scope);
    const job = found?.ok === true ? found.value : null;
    if (job?.status !== 'canceled' || cancelReasonOf(job) !== UPSTREAM_JOB_REASON) return [];
    const isFree = job.dependsOn.every((upstream) => {
      const status = readJob(store, upstream)?.status;
      if (status === undefined) return false;
      return restored.has(upstream) || status === 'completed' || !isTerminalJob(status);
    });
    return isFree ? [job] : [];
  });
}
