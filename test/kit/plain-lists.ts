import type { TaskQuery } from '../../http/views/task-window.ts';
import type { JobFilter, JobListQuery, ListedJob } from '../../src/core/lists/job-directory.ts';
import type { JobStatus } from '../../src/core/lifecycle/job-transitions.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys } from '../../src/core/records/tables.ts';
import { taskStateOf } from '../../src/core/records/task-view.ts';

/** Straightforward list queries that scan everything. The optimized lists are compared with them. */

/** Returns a page of jobs by definition: scans and sorts all jobs, ties by ID. */
export function plainJobs(
  jobs: Iterable<ListedJob>,
  query: JobListQuery,
): { readonly ids: readonly string[]; readonly total: number } {
  const has = (job: ListedJob, word: string): boolean =>
    [job.name, job.id, job.owner, job.project].some((text) => text.toLowerCase().includes(word));
  const wanted = [...jobs].filter(
    (job) =>
      (query.statuses === undefined || query.statuses.includes(job.status)) &&
      (query.farmId === undefined || job.farmId === query.farmId) &&
      (query.queueId === undefined || job.queueId === query.queueId) &&
      (query.owner === undefined || job.owner === query.owner) &&
      (query.ownerKey === undefined || job.owner.toLowerCase() === query.ownerKey) &&
      (query.project === undefined || job.project === query.project) &&
      query.words.every((word) => has(job, word)),
  );
  const keyOf = {
    created_at: (job: ListedJob) => job.createdAt,
    priority: (job: ListedJob) => job.priority,
    status: (job: ListedJob) => job.status,
    updated_at: (job: ListedJob) => job.updatedAt,
    name: (job: ListedJob) => job.name,
  }[query.sortBy];
  const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);
  const sign = query.descending ? -1 : 1;
  wanted.sort((a, b) => sign * compare(keyOf(a), keyOf(b)) || compare(a.id, b.id));
  return {
    ids: wanted.slice(query.offset, query.offset + query.limit).map((job) => job.id),
    total: wanted.length,
  };
}

/** Returns the number of jobs by status over all pages. */
export function plainCounts(jobs: Iterable<ListedJob>, filter: JobFilter): Record<JobStatus, number> {
  const counts = { pending: 0, blocked: 0, paused: 0, running: 0, completed: 0, failed: 0, canceled: 0 };
  const all = [...jobs];
  const query = { ...filter, sortBy: 'name', descending: false, offset: 0, limit: all.length } as const;
  const wanted = new Set(plainJobs(all, query).ids);
  for (const job of all) if (wanted.has(job.id)) counts[job.status] += 1;
  return counts;
}

/** Returns the jobs that depend on a job, sorted by ID. */
export const plainDependents = (jobs: Iterable<ListedJob>, id: string): readonly string[] =>
  [...jobs]
    .filter((job) => job.dependsOn.some((upstream) => upstream === id))
    .map((job) => job.id)
    .sort();

/** Returns a page of tasks by definition, as step order and index of each: scans and sorts all tasks. */
export function plainTasks(
  store: StoreReader,
  steps: readonly StepRecord[],
  query: TaskQuery,
): { readonly total: number; readonly places: readonly (readonly [number, number])[] } {
  const all = steps.flatMap((step) =>
    Array.from({ length: step.taskCount }, (_, index) => {
      const address = { jobId: step.jobId, stepOrder: step.order, index };
      const { status, updatedAt } = taskStateOf(step, store.get('taskPage', keys.taskPageOf(address)), index);
      return { order: step.order, name: step.name, index, status, updatedAt };
    }),
  );
  type Task = (typeof all)[number];
  const wanted = all.filter((task) => query.status === undefined || task.status === query.status);
  const sign = query.sort_dir === 'asc' ? 1 : -1;
  const byPlace = (a: Task, b: Task): number => a.order - b.order || a.index - b.index;
  const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const orders = {
    created_at: (a: Task, b: Task) => sign * byPlace(a, b),
    name: (a: Task, b: Task) => sign * (byText(a.name, b.name) || byPlace(a, b)),
    status: (a: Task, b: Task) => sign * byText(a.status, b.status) || byPlace(a, b),
    updated_at: (a: Task, b: Task) => sign * (a.updatedAt - b.updatedAt) || byPlace(a, b),
  };
  const page = wanted.sort(orders[query.sort_by]).slice(query.offset, query.offset + query.limit);
  return { total: wanted.length, places: page.map(({ order, index }) => [order, index]) };
}
