import type { OwnerScope } from '../../src/core/access/owner-scope.ts';
import { jobId } from '../../src/core/ids.ts';
import { compareCandidates, type Candidate } from '../../src/core/lease/candidate-order.ts';
import { isTerminalJob } from '../../src/core/lifecycle/job-transitions.ts';
import type { JobRecord } from '../../src/core/records/job.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { Ports } from '../ports.ts';
import type { Schemas } from '../views/schemas.ts';
import { findJob } from './find-task.ts';
import { problem, type Handler } from './operation.ts';

/** Maximum number of jobs of the queue that are compared: those with the highest priorities. */
const COMPARED_MAX = 10_000;
/** Maximum number of passed jobs that are named. */
const NAMED_MAX = 50;
const PRIORITY_MAX = 2_147_483_647;

/**
 * Returns the place of a job among the waiting jobs of its queue, now and with another priority (docs/rest.md#order-of-jobs).
 * Changes nothing.
 */
export const getJobOrder: Handler<'getJobOrder'> = ({ path, query, principal: { ownerScope } }, ports) => {
  const found = findJob(ports.store, path.id, ownerScope);
  if (!found.ok) return { kind: 'problem', problem: found.problem };
  const job = found.value;
  if (isTerminalJob(job.status)) return problem('conflict', `the job is ${job.status} already`);
  const { others, isPartial } = waitingJobs(job, ownerScope, ports);
  const top = topPriority(job, others);
  const wanted = query.with_priority ?? top;
  const [before, after] = [placeOf(job, job.priority, others), placeOf(job, wanted, others)];
  const passed = others.slice(Math.min(before, after), Math.max(before, after));
  const body: Schemas['JobOrder'] = {
    job_id: job.id,
    queue_id: job.queueId,
    priority: { before: job.priority, after: wanted },
    position: { before: before + 1, after: after + 1 },
    total: others.length + 1,
    is_partial: isPartial,
    top_priority: top,
    passed_total: passed.length,
    passed: passed.slice(0, NAMED_MAX).map(passedView),
  };
  return { kind: 'json', status: 200, body };
};

const passedView = ({ id, name, owner, priority, taskCounts }: JobRecord): Schemas['PassedJob'] => ({
  id,
  name,
  owner,
  priority,
  ready: taskCounts.ready,
});

const candidate = ({ id, createdAt }: JobRecord, priority: number): Candidate => ({
  priority,
  jobCreatedAt: createdAt,
  jobId: id,
  stepOrder: 0,
});

/** Returns the other visible jobs of the queue with tasks that are ready, in the order of leases. */
function waitingJobs(
  job: JobRecord,
  scope: OwnerScope,
  { jobLists, store }: Ports,
): { readonly others: readonly JobRecord[]; readonly isPartial: boolean } {
  const { ids, total } = jobLists.page(
    {
      farmId: job.farmId,
      queueId: job.queueId,
      statuses: ['pending', 'running'],
      words: [],
      sortBy: 'priority',
      descending: true,
      offset: 0,
      limit: COMPARED_MAX,
    },
    scope,
  );
  const others = ids.flatMap((id) => {
    const other = store.get('job', keys.job(jobId(id)));
    const waits = other !== undefined && other.taskCounts.ready > 0 && other.startAfter === undefined;
    return waits && other.id !== job.id ? [other] : [];
  });
  others.sort((a, b) => compareCandidates(candidate(a, a.priority), candidate(b, b.priority)));
  return { others, isPartial: total > ids.length };
}

/** Returns the number of jobs before the job if it had a priority. */
function placeOf(job: JobRecord, priority: number, others: readonly JobRecord[]): number {
  const own = candidate(job, priority);
  const place = others.findIndex((other) => compareCandidates(own, candidate(other, other.priority)) < 0);
  return place < 0 ? others.length : place;
}

/** Returns the priority that puts the job before all others: its own if it is the first, else the lowest that does. */
function topPriority(job: JobRecord, others: readonly JobRecord[]): number {
  const [first] = others;
  if (first === undefined || placeOf(job, job.priority, others) === 0) return job.priority;
  const isOlder = placeOf(job, first.priority, others) === 0;
  return isOlder ? first.priority : Math.min(PRIORITY_MAX, first.priority + 1);
}
