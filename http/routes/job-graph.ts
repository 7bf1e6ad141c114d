import { jobId, type JobId } from '../../src/core/ids.ts';
import { isInScope, type OwnerScope } from '../../src/core/access/owner-scope.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { Ports } from '../ports.ts';
import { findJob } from './find-task.ts';
import type { Handler } from './operation.ts';

/** Maximum number of jobs of a graph. */
const JOBS_MAX = 200;

/** Returns the jobs that are connected to a job by dependencies, the nearest first. Reads no more jobs than it returns. */
export const getJobGraph: Handler<'getJobGraph'> = ({ path, principal: { ownerScope } }, ports) => {
  const found = findJob(ports.store, path.id, ownerScope);
  if (!found.ok) return { kind: 'problem', problem: found.problem };
  const { jobs, isPartial } = connectedJobs(found.value, ownerScope, ports);
  const items = [...jobs.values()].map(({ id, name, status, taskCounts, dependsOn }) => ({
    id,
    name,
    status,
    task_counts: taskCounts,
    depends_on: dependsOn.filter((upstream) => jobs.has(upstream)),
  }));
  return { kind: 'json', status: 200, body: { items, is_partial: isPartial } };
};

interface ConnectedJobs {
  readonly jobs: ReadonlyMap<JobId, JobRecord>;
  /** True if there are more. */
  readonly isPartial: boolean;
}

/** Walks the dependencies in both directions, breadth first. Jobs outside of the scope end the walk. */
function connectedJobs(
  first: JobRecord,
  scope: OwnerScope,
  { store, jobLists }: Pick<Ports, 'store' | 'jobLists'>,
): ConnectedJobs {
  const jobs = new Map([[first.id, first]]);
  // The walk also reaches the jobs that it adds.
  for (const [id, { dependsOn }] of jobs) {
    for (const next of [...dependsOn, ...jobLists.dependents(id, scope).map(jobId)]) {
      if (jobs.has(next)) continue;
      const job = store.get('job', keys.job(next));
      if (job === undefined || !isInScope(scope, job.owner)) continue;
      if (jobs.size === JOBS_MAX) return { jobs, isPartial: true };
      jobs.set(next, job);
    }
  }
  return { jobs, isPartial: false };
}
