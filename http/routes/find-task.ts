import { isInScope, type OwnerScope } from '../../src/core/access/owner-scope.ts';
import { jobId, parseTaskId, stepIdOf, type JobId, type TaskAddress } from '../../src/core/ids.ts';
import type { StoreReader } from '../../src/core/ports/store.ts';
import { done, refused, type Outcome } from '../../src/core/problems.ts';
import type { JobRecord, TemplateRecord } from '../../src/core/records/job.ts';
import type { StepRecord } from '../../src/core/records/step.ts';
import { keys } from '../../src/core/records/tables.ts';
import type { OpenTaskList, TaskLists } from '../lists/task-lists.ts';

export interface FoundTask {
  readonly address: TaskAddress;
  readonly job: JobRecord;
  readonly step: StepRecord;
}

const noSuch = (what: string, id: string): Outcome<never> =>
  refused('not-found', `no ${what} ${id.slice(0, 100)}`);

/**
 * Returns the job with an id that a client has sent. Refuses with 404 if there is none, and with 403 if its owner is
 * not in the scope (docs/contract/authentication.md#owner-scope). Both refusals take one read.
 */
export function findJob(store: StoreReader, id: string, scope: OwnerScope): Outcome<JobRecord> {
  const job = readJob(store, id);
  return job === null ? noSuch('job', id) : inScope(job, scope);
}

function inScope(job: JobRecord, scope: OwnerScope): Outcome<JobRecord> {
  return isInScope(scope, job.owner) ? done(job) : refused('forbidden', 'this job belongs to another user');
}

/**
 * Returns the task with an id that a client has sent. Refuses like `findJob`; of a job outside the scope, also for tasks
 * that it does not have.
 */
export function findTask(store: StoreReader, id: string, scope: OwnerScope): Outcome<FoundTask> {
  const address = parseTaskId(id);
  if (address === null) return noSuch('task', id);
  const job = readJob(store, address.jobId);
  if (job === null) return noSuch('task', id);
  const visible = inScope(job, scope);
  if (!visible.ok) return visible;
  const task = taskOf(store, job, address);
  return task === null ? noSuch('task', id) : done(task);
}

interface ReadsTasks {
  readonly store: StoreReader;
  readonly taskLists: Pick<TaskLists, 'open'>;
}

/** Opens the tasks of the job with an id that a client has sent. Refuses like `findJob`, before the tasks are read. */
export function openTasks(
  { store, taskLists }: ReadsTasks,
  id: string,
  scope: OwnerScope,
): Outcome<OpenTaskList> {
  const job = findJob(store, id, scope);
  if (!job.ok) return job;
  const list = taskLists.open(id);
  return list === null ? noSuch('job', id) : done(list);
}

/** Returns the job with an id and any owner, or null. */
export const readJob = (store: StoreReader, id: string): JobRecord | null =>
  store.get('job', keys.job(jobId(id))) ?? null;

/** Returns the template of a stored job, which each has. */
export function readTemplate(store: StoreReader, id: JobId): TemplateRecord {
  const template = store.get('template', keys.template(id));
  if (template === undefined) throw new Error(`the job ${id} has no template`);
  return template;
}

/** Returns the task with an id, of a job with any owner, or null. */
export function readTask(store: StoreReader, id: string): FoundTask | null {
  const address = parseTaskId(id);
  return address === null ? null : readTaskAt(store, address);
}

/** Returns the task at an address, of a job with any owner, or null. */
export function readTaskAt(store: StoreReader, address: TaskAddress): FoundTask | null {
  const job = readJob(store, address.jobId);
  return job === null ? null : taskOf(store, job, address);
}

function taskOf(
  store: StoreReader,
  job: JobRecord,
  { jobId: id, stepOrder, index }: TaskAddress,
): FoundTask | null {
  const step = store.get('step', keys.step(id, stepOrder));
  if (step === undefined || index >= step.taskCount) return null;
  return { address: { jobId: id, stepOrder, index }, job, step };
}

/** Returns the steps of a job in order. */
export const stepsOf = (store: StoreReader, id: JobId): readonly StepRecord[] =>
  [...store.scan('step', { prefix: keys.stepsOf(id) })].map((row) => row.value);

/** Returns the step of a job by id or name, or null. */
export const findStep = (steps: readonly StepRecord[], idOrName: string): StepRecord | null =>
  steps.find((step) => stepIdOf(step.jobId, step.order) === idOrName) ??
  steps.find((step) => step.name === idOrName) ??
  null;
